//! GET /api/v1/usage/chamadas: the calls made with the account's keys.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, page};
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use base::when;
use issuing::model::Modelo;
use serde_json::{Map, Value, json as value};
use store::tables::requests::{self, RequestRow};
use store::words::KeyKind;

pub fn built() -> Built {
    Built {
        operation: "usage.chamadas.list",
        route: |method| on(method, list),
        docs: Docs::new(
            "Lista as chamadas feitas com as chaves da conta, da mais nova para a mais antiga.",
        )
        .paged(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let page = page(&query, &[])?;
    call.app.request_log.caught_up().await;
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = requests::list(
        &mut conn,
        &call.caller.account_id,
        &page.before,
        page.rows(),
    )
    .await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(|row| record(row).into()).collect();
    Ok(json(200, &page.body(items, ids, &call.caller.request_id)))
}

/// A call as the API shows it.
pub fn record(row: &RequestRow) -> Map<String, Value> {
    let about = Some(&row.subject_id);
    let record = value!({
        "request_id": row.id,
        "em": when::rfc3339(row.created_at_ms),
        "operacao": row.operation,
        "metodo": row.method,
        "caminho": row.path,
        "chave_tipo": if row.kind == KeyKind::Test { "teste" } else { "producao" },
        "chave_id": Some(&row.key_id).filter(|id| !id.is_empty()),
        "chave_final": format!("...{}", row.key_hint),
        "status": row.status,
        "x_error_code": Some(&row.error_code).filter(|code| !code.is_empty()),
        "duracao_ms": row.duration_ms,
        "nota_id": about.filter(|id| Modelo::is_nota(id)),
        "emitente_id": about.filter(|id| id.starts_with("emi_")),
    });
    match record {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
