//! GET /api/v1/webhooks/{id}

use super::load;
use super::record::answer;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::etag;
use crate::{Built, json};
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;
use events::attempt::sealed;

pub fn built() -> Built {
    Built {
        operation: "webhooks.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um webhook, sem o segredo.").sends("ETag", &[200]),
    }
}

async fn get(call: Call, Path(id): Path<String>) -> ApiResult<Response> {
    let row = load(&call, &id).await?;
    let sealed = sealed::open(&call.app.keyring, &row)?;
    let body = answer(&row, &sealed, call.app.now_ms(), &call.caller.request_id);
    Ok(etag::with(json(200, &body.into()), row.version))
}
