//! GET /api/v1/creditos/extrato: every movement, newest first.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, page};
use crate::v1::creditos::entry;
use crate::{Built, json};
use accounts::ledger;
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use store::tables::ledger as table;

pub fn built() -> Built {
    Built {
        operation: "creditos.extrato",
        route: |method| on(method, extrato),
        docs: Docs::new(
            "Lista os movimentos de créditos, do mais novo para o mais antigo; creditos é o efeito no saldo, valor a quantia movida; presente e comprado são o que há de cada um agora.",
        )
        .paged(),
    }
}

async fn extrato(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let page = page(&query, &[])?;
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = table::statement(
        &mut conn,
        &call.caller.account_id,
        &page.before,
        page.rows(),
    )
    .await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(entry::record).collect();
    let mut body = page.body(items, ids, &call.caller.request_id);
    let origin = ledger::origin(&mut conn, &call.caller.account_id).await?;
    body["presente"] = origin.presente.into();
    body["comprado"] = origin.comprado.into();
    Ok(json(200, &body))
}
