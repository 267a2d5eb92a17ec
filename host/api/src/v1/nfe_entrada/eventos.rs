//! GET /api/v1/nfe-entrada/eventos: the events distributed to the account's
//! companies, newest first.

use super::filter;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, page};
use issuing::answer::{self, ReceivedEvent};
use serde_json::json;
use store::tables::recebidas;

pub fn built() -> Built {
    let text = || json!({ "type": "string" });
    Built {
        operation: "nfe-entrada.eventos",
        route: |method| on(method, list),
        docs: Docs::new("Lista os eventos distribuídos para o CNPJ: cancelamentos, cartas de correção, manifestações e outros.")
            .query("emitente_id", "Empresa da conta que recebeu.", text())
            .query("chave", "Chave da nota.", text())
            .period()
            .paged()
            .success::<Listing<ReceivedEvent>>(),
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<ReceivedEvent>> {
    let page = page(&query, &["emitente_id", "chave", "de", "ate"])?;
    let filter = filter(&call, &query, &page)?;
    let chave = query.get("chave").map(String::as_str).unwrap_or_default();
    let account = &call.caller.account_id;
    let mut conn = call.app.db.walk(account).await?;
    let rows = recebidas::eventos(&mut conn, account, chave, &filter).await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    let items = rows.iter().map(answer::received_event).collect();
    call.ok(page.listing(items, ids))
}
