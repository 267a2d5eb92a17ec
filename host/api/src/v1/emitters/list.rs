//! GET /api/v1/emitters: the account's companies, newest first.

use super::record::{self, EmitterOut};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, page};
use store::tables::emitters;

pub fn built() -> Built {
    Built {
        operation: "emitters.list",
        route: |method| on(method, list),
        docs: Docs::new("Lista os emitentes da conta, do mais novo para o mais antigo.")
            .paged()
            .success::<Listing<EmitterOut>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<EmitterOut>> {
    let page = page(&query, &[])?;
    let mut conn = call.app.db.walk(&call.caller.account_id).await?;
    let rows = emitters::list(
        &mut conn,
        &call.caller.account_id,
        &page.before,
        page.rows(),
    )
    .await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let mut items = Vec::with_capacity(rows.len());
    // At most 101 rows, each with look-ups by key.
    for row in rows {
        let emitter = record::with_certificate(&mut conn, row).await?;
        items.push(record::emitter(&call.app, &mut conn, &emitter).await?);
    }
    call.ok(page.listing(items, ids))
}
