//! GET /api/v1/chaves: the account's keys, newest first.

use super::record::Chave;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, page};
use store::tables::api_keys;
use store::words::{KeyKind, Maybe};

pub fn built() -> Built {
    Built {
        operation: "chaves.list",
        route: |method| on(method, list),
        docs: Docs::new(
            "Lista as chaves da conta, da mais nova para a mais antiga, revogadas e expiradas também; uma chave de teste vê só as de teste.",
        )
        .paged()
        .success::<Listing<Chave>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<Chave>> {
    let page = page(&query, &[])?;
    // The last use is written beside the calls.
    call.app.request_log.caught_up().await;
    let account = &call.caller.account_id;
    // A test key does not see the live ones.
    let kind = Maybe(call.caller.is_test().then_some(KeyKind::Test));
    let mut conn = call.app.db.walk(account).await?;
    let rows = api_keys::list(&mut conn, account, kind, &page.before, page.rows()).await?;
    let now_ms = call.app.now_ms();
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.into_iter().map(|row| Chave::of(row, now_ms));
    call.ok(page.listing(items.collect(), ids))
}
