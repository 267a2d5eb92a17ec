//! GET /saude: the process is alive.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::{Built, json};
use axum::response::Response;
use axum::routing::on;
use base::when;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "saude",
        route: |method| on(method, saude),
        docs: Docs::new("Diz que o processo está vivo; não consulta nada."),
    }
}

async fn saude(call: Call) -> ApiResult<Response> {
    Ok(json(
        200,
        &value!({
            "sucesso": true, "status": "ok", "versao": env!("CARGO_PKG_VERSION"),
            "iniciado_em": when::rfc3339(call.app.started_ms), "request_id": call.caller.request_id,
        }),
    ))
}
