//! GET /api/v1/creditos/extrato: every movement, newest first.

use super::entry::Movement;
use accounts::ledger;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Listing, Query, page};
use schemars::JsonSchema;
use serde::Serialize;
use store::tables::ledger as table;

pub fn built() -> Built {
    Built {
        operation: "creditos.extrato",
        route: |method| on(method, extrato),
        docs: Docs::new(
            "Lista os movimentos de créditos, do mais novo para o mais antigo; creditos é o efeito no saldo, valor a quantia movida; presente e comprado são o que há de cada um agora.",
        )
        .paged()
        .success::<ExtratoOut>(),
    }
}

/// Movimentos de créditos, e o que há de cada origem agora.
#[derive(Serialize, JsonSchema)]
struct ExtratoOut {
    #[serde(flatten)]
    pagina: Listing<Movement>,
    /// Créditos de presente que restam.
    presente: i64,
    /// Créditos comprados que restam.
    comprado: i64,
}

async fn extrato(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<ExtratoOut> {
    let page = page(&query, &[])?;
    let account = &call.caller.account_id;
    let mut conn = call.app.db.walk(account).await?;
    let rows = table::statement(&mut conn, account, &page.before, page.rows()).await?;
    let origin = ledger::origin(&mut conn, account).await?;
    let ids = rows.iter().map(|row| row.id.clone()).collect();
    call.ok(ExtratoOut {
        pagina: page.listing(rows.iter().map(Movement::from).collect(), ids),
        presente: origin.gifted,
        comprado: origin.purchased,
    })
}
