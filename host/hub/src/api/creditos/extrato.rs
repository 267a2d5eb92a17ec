//! GET /api/v1/creditos/extrato: every movement, newest first.

use super::lancamento;
use crate::api::gate::Call;
use crate::api::list::{Query, page};
use crate::api::openapi::Docs;
use crate::api::{Built, json};
use crate::db::ledger;
use crate::errors::Failure;
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "creditos.extrato",
        route: |method| on(method, extrato),
        docs: Docs::new(
            "Lista os movimentos de créditos, do mais novo para o mais antigo; creditos é o efeito no saldo, valor a quantia movida.",
        )
        .paged(),
    }
}

async fn extrato(call: Call, UrlQuery(query): UrlQuery<Query>) -> Result<Response, Failure> {
    let page = page(&query, &[])?;
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = ledger::statement(
        &mut conn,
        &call.caller.account_id,
        &page.before,
        page.rows(),
    )
    .await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(lancamento::record).collect();
    Ok(json(200, &page.body(items, ids, &call.caller.request_id)))
}
