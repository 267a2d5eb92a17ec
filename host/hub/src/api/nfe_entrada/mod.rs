//! /api/v1/nfe-entrada: notes that others issue against the account's
//! companies.

mod consultar;
mod eventos;
mod get;
mod list;
mod manifestar;

use super::Built;
use super::gate::Call;
use super::list::{Page, Query, day};
use crate::db::recebidas::{self, Filter, RecebidaRow};
use crate::errors::{Code, Failure, Refusal};

pub fn built() -> Vec<Built> {
    vec![
        consultar::built(),
        manifestar::built(),
        list::built(),
        get::built(),
        eventos::built(),
    ]
}

/// The note of a key, received by any of the account's companies.
///
/// # Errors
/// 404: none of them has it.
async fn recebida(call: &Call, chave: &str) -> Result<RecebidaRow, Failure> {
    let mut conn = call.app.db.read().await?;
    let account = &call.caller.account_id;
    let found = recebidas::by_chave(&mut conn, account, chave, call.caller.unseen()).await?;
    let found = found.ok_or_else(|| {
        Refusal::new(Code::NaoEncontrado)
            .message("Nota recebida não encontrada.")
            .hint("Consulte a chave em POST /api/v1/nfe-entrada/consultar, com modo \"chave\".")
    })?;
    call.about(&found.id);
    Ok(found)
}

/// What both listings can be asked for.
///
/// # Errors
/// 400 naming the parameter.
fn filter(call: &Call, query: &Query, page: &Page) -> Result<Filter, Failure> {
    Ok(Filter {
        emitter_id: query.get("emitente_id").cloned().unwrap_or_default(),
        from_ms: day(query, "de")?.unwrap_or(0),
        to_ms: day(query, "ate")?.map_or(0, |ms| ms + 86_400_000),
        before: page.before.clone(),
        limit: page.rows(),
        unseen: call.caller.unseen(),
        ..Filter::default()
    })
}
