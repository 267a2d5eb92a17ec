//! GET /api/v1/storage/uso: how much is kept and how much fits.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::only;
use crate::{Built, json};
use axum::response::Response;
use axum::routing::on;
use serde_json::{Value, json as value};
use store::tables::objetos;

pub fn built() -> Built {
    Built {
        operation: "storage.uso",
        route: |method| on(method, uso),
        docs: Docs::new("Mostra quanto a conta guarda, quanto cabe e o que se cobra (nada)."),
    }
}

async fn uso(call: Call) -> ApiResult<Response> {
    only(&call.query, &[])?;
    let mut conn = call.app.db.read().await?;
    let uso = objetos::uso(&mut conn, &call.caller.account_id).await?;
    drop(conn);
    let limit = call.app.config.storage.account_bytes;
    let answer = value!({
        "sucesso": true, "usado_bytes": uso.bytes, "limite_bytes": limit, "livre_bytes": (limit - uso.bytes).max(0),
        "objetos": uso.objetos, "cobrado": false, "preco": Value::Null, "request_id": call.caller.request_id,
    });
    Ok(json(200, &answer))
}
