//! GET /api/v1/webhooks: those of the account, newest first.

use super::record::Webhook;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use events::attempt::sealed;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, page};
use store::tables::webhooks;

pub fn built() -> Built {
    Built {
        operation: "webhooks.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista os webhooks da conta, do mais novo para o mais antigo.")
            .paged()
            .success::<Listing<Webhook>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<Webhook>> {
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
        items.push(Webhook::of(row, &sealed, call.app.now_ms())?);
    }
    call.ok(page.listing(items, ids))
}
