//! GET /saude: the process is alive.

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, json};
use crate::errors::Failure;
use crate::when;
use axum::response::Response;
use axum::routing::on;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "saude",
        route: |method| on(method, saude),
        docs: Docs::new("Diz que o processo está vivo; não consulta nada."),
    }
}

async fn saude(call: Call) -> Result<Response, Failure> {
    Ok(json(
        200,
        &value!({
            "sucesso": true, "status": "ok", "versao": env!("CARGO_PKG_VERSION"),
            "iniciado_em": when::rfc3339(call.app.started_ms), "request_id": call.caller.request_id,
        }),
    ))
}
