//! /api/v1/nfe-entrada: notes that others issue against the account's
//! companies.

mod consultar;
mod eventos;
mod get;
mod list;
mod manifestar;

use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::docs::Built;
use gate::request::list::{Page, Query, period};
use store::ids::EmitterId;
use store::tables::recebidas::{self, Filter, ReceivedNotaRow};
use store::words::Maybe;

pub fn built() -> Vec<Built> {
    vec![
        consultar::built(),
        manifestar::built(),
        list::built(),
        get::built(),
        eventos::built(),
    ]
}

/// The note of a key, received by one of the account's companies: by
/// `emitter`, or by the only one that has it.
///
/// # Errors
/// 404: none of them has it; 409: more than one has, as when one issues for
/// another.
async fn received(
    call: &Call,
    chave: &str,
    emitter: Option<&EmitterId>,
) -> Result<ReceivedNotaRow, Failure> {
    let mut conn = call.app.db.read().await?;
    let Caller { account_id, .. } = &call.caller;
    let (unseen, emitter) = (call.caller.unseen(), &Maybe(emitter.cloned()));
    let rows = recebidas::by_chave(&mut conn, account_id, chave, unseen, emitter).await?;
    drop(conn);
    let mut companies: Vec<String> = rows.iter().map(|row| row.emitter_id.to_string()).collect();
    companies.sort();
    companies.dedup();
    if companies.len() > 1 {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("Mais de uma empresa da conta recebeu esta nota.")
            .hint(format!("Informe emitente_id: {}.", companies.join(" ou ")))
            .with("emitentes", companies)
            .into());
    }
    let found = rows.into_iter().next().ok_or_else(|| {
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
    let (from_ms, to_ms) = period(query)?;
    Ok(Filter {
        emitter_id: query
            .get("emitente_id")
            .map_or(Maybe(None), |id| Maybe::of(id)),
        from_ms,
        to_ms,
        before: page.before.clone(),
        limit: page.rows(),
        left_out: call.caller.unseen(),
        ..Filter::default()
    })
}
