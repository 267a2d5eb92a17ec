//! GET /api/v1/nfe-entrada/eventos: the events distributed to the account's
//! companies, newest first.

use super::filter;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, page};
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use issuing::answer;
use serde_json::json as value;
use store::tables::recebidas;

pub fn built() -> Built {
    let text = || value!({ "type": "string" });
    Built {
        operation: "nfe-entrada.eventos",
        route: |method| on(method, list),
        docs: Docs::new("Lista os eventos distribuídos para o CNPJ: cancelamentos, cartas de correção, manifestações e outros.")
            .query("emitente_id", "Empresa da conta que recebeu.", text())
            .query("chave", "Chave da nota.", text())
            .period()
            .paged(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let page = page(&query, &["emitente_id", "chave", "de", "ate"])?;
    let filter = filter(&call, &query, &page)?;
    let chave = query.get("chave").map(String::as_str).unwrap_or_default();
    let account = &call.caller.account_id;
    let mut conn = call.app.db.walk(account).await?;
    let rows = recebidas::eventos(&mut conn, account, chave, &filter).await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(answer::evento_recebido).collect();
    Ok(json(200, &page.body(items, ids, &call.caller.request_id)))
}
