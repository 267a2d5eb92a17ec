//! GET /api/v1/webhooks: those of the account, newest first.

use super::record::webhook;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::list::{Query, page};
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use events::attempt::sealed;
use store::tables::webhooks;

pub fn built() -> Built {
    Built {
        operation: "webhooks.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista os webhooks da conta, do mais novo para o mais antigo.").paged(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let page = page(&query, &[])?;
    let caller = &call.caller;
    let mut conn = call.app.db.walk(&caller.account_id).await?;
    let rows = webhooks::list(
        &mut conn,
        &caller.account_id,
        caller.kind,
        &page.before,
        page.rows(),
    )
    .await?;
    drop(conn);
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let mut items = Vec::with_capacity(rows.len());
    for row in &rows {
        let sealed = sealed::open(&call.app.keyring, row)?;
        items.push(webhook(row, &sealed, call.app.now_ms()).into());
    }
    Ok(json(200, &page.body(items, ids, &caller.request_id)))
}
