//! GET /api/v1/openapi.json: the document of what is built.

use crate::openapi::document;
use axum::routing::on;
use gate::Call;
use gate::answer::Answer;
use gate::docs::{Built, Docs};
use serde_json::{Map, Value};
use std::sync::Mutex;

pub fn built() -> Built {
    Built {
        operation: "openapi",
        route: |method| on(method, openapi),
        docs: Docs::new("O documento OpenAPI 3.1 desta API.").plain::<Document>(),
    }
}

/// The document, which does not describe itself.
type Document = Map<String, Value>;

/// The address it was made for, and the document.
type Made = (String, String);

async fn openapi(call: Call) -> Answer<Document> {
    // Anybody may ask: made once per address.
    static MADE: Mutex<Option<Made>> = Mutex::new(None);
    let base_url = &call.app.config.server.base_url;
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((_, body)) = made.as_ref().filter(|(address, _)| address == base_url) {
        return Answer::text(200, body.clone());
    }
    let body = document(base_url).to_string();
    *made = Some((base_url.clone(), body.clone()));
    Answer::text(200, body)
}
