//! What became of a DPS that was received under a protocol.

use crate::api;
use crate::ids::is_valid_chave;
use crate::issuance::ALREADY_EXISTS;
use crate::nota::{self, Nota};
use crate::query::query;
use crate::transport::{Call, Names, Transport};
use sdk::{Context, Failure, Flow, Mensagem, Situacao, Success};

/// What the question for a protocol says.
pub enum Status {
    Issued(Box<(Nota, Vec<Mensagem>)>),
    Refused(Vec<Mensagem>),
    /// Not yet, or issued without the note: the search for the DPS tells.
    Open,
}

/// The end of a flow that knows no more than the protocol.
pub fn received(protocol: String) -> Success {
    Success::new(Situacao::EmProcessamento).protocol(Some(protocol))
}

/// The protocol that this city is asked about. None where it does not answer
/// that, or where the receipt is the key of the note.
pub fn question<'a>(
    transport: &Transport,
    receipt: Option<&'a str>,
    ctx: &Context,
) -> Option<&'a str> {
    receipt.filter(|receipt| transport.has_protocol(ctx) && !is_valid_chave(receipt))
}

/// Asks once what became of the DPS `id` that was received as `protocol`.
///
/// # Errors
/// No clear answer.
pub async fn ask(flow: &Flow, id: &str, protocol: &str) -> Result<Status, Failure> {
    let names = Names {
        protocol: protocol.to_owned(),
        ..Names::of_dps(id)
    };
    let response = query(flow, Call::Protocol, "GET", &names).await?;
    if !response.is_success() {
        return Err(api::unanswered(&response));
    }
    let answer = api::read(&response).filter(|answer| !answer.is_of_another(Some(id)));
    let Some(answer) = answer else {
        return Ok(Status::Open);
    };
    if answer.refuses_received(ALREADY_EXISTS) {
        return Ok(Status::Refused(answer.errors));
    }
    Ok(match nota::in_answer(answer, id, flow.ctx()) {
        Ok(found) => Status::Issued(Box::new(found)),
        Err(_) => Status::Open,
    })
}
