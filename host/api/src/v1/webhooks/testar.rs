//! POST /api/v1/webhooks/{id}/testar: sends an example of an event.

use super::{entregas, load};
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::body;
use crate::{Built, json};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use events::webhooks::resend;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "webhooks.testar",
        route: |method| on(method, test),
        docs: Docs::new("Envia ao webhook um exemplo de evento, com teste = true.")
            .body(schemars::schema_for!(TestIn).to_value())
            .answers(&[(202, "Na fila de entrega.")]),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(default)]
struct TestIn {
    /// Um dos tipos de GET /api/v1/webhooks/tipos-evento.
    evento: String,
}

impl Default for TestIn {
    fn default() -> TestIn {
        TestIn {
            evento: "nfe.autorizada".to_owned(),
        }
    }
}

async fn test(
    call: Call,
    Path(id): Path<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiResult<Response> {
    // Nothing at all is a wish, too.
    let asked: TestIn = if bytes.is_empty() {
        TestIn::default()
    } else {
        body::read(body::parse(&call, &headers, &bytes)?, call.tolerant)?
    };
    let row = load(&call, &id).await?;
    call.about(&row.id);
    let delivery = resend::test(&call.app.events, &row, &asked.evento).await?;
    let mut body = entregas::record(&delivery, 0);
    body.insert("sucesso".to_owned(), true.into());
    body.insert("teste".to_owned(), true.into());
    body.insert(
        "entrega".to_owned(),
        value!(format!("/api/v1/webhooks/entregas/{}", delivery.id)),
    );
    body.insert(
        "request_id".to_owned(),
        call.caller.request_id.clone().into(),
    );
    Ok(json(202, &body.into()))
}
