//! Follows a batch by its protocol until the city has decided.

use crate::class::Class;
use crate::content::{Content, Reading};
use crate::flow::pace::{MAX_STEPS, NOT_FOUND_TIMES, wait_ms};
use crate::flow::session::{Missing, Session, barred};
use crate::system::{Question, Rps};
use sdk::{Failure, Fault, Mensagem};

/// What became of a batch.
pub enum Fate {
    /// It has the note.
    Issued(Box<Content>),
    /// Situation 3 with its messages: an explicit no.
    Refused(Vec<Mensagem>),
    /// Messages that may be about the batch or about the query: to be
    /// confirmed by RPS.
    Doubtful(Vec<Mensagem>),
    /// Processed, or unknown to the city, but nothing to see by protocol.
    NoResult,
    /// Still in the queue.
    Queued,
    /// Nothing certain.
    Undetermined(Failure),
    /// Someone gave up on the flow.
    GivenUp,
}

/// Asks until there is a result or the flow has no steps left.
pub async fn follow(session: &Session<'_>, protocol: &str, rps: &Rps) -> Fate {
    let mut lost = 0;
    let mut n = 0;
    loop {
        if session.flow.asks() >= MAX_STEPS {
            return Fate::Queued;
        }
        let wait = wait_ms(session.system.interval_ms(), n);
        n += 1;
        if session
            .wait(wait, "pendente: lote na fila da prefeitura")
            .await
            .is_err()
        {
            return Fate::GivenUp;
        }
        match ask(session, protocol, rps).await {
            Fate::Queued => lost = 0,
            // Some systems do not know a batch before they process it.
            Fate::NoResult => {
                lost += 1;
                if lost >= NOT_FOUND_TIMES {
                    return Fate::NoResult;
                }
            }
            Fate::Undetermined(failure) if conclusive(&failure) => {
                return Fate::Undetermined(failure);
            }
            Fate::Undetermined(_) => {}
            fate => return fate,
        }
    }
}

/// A refused login or certificate does not get better by asking.
fn conclusive(failure: &Failure) -> bool {
    matches!(
        failure.reason,
        sdk::FailureReason::Credentials(_)
            | sdk::FailureReason::Signing(_)
            | sdk::FailureReason::InvalidInput(_)
    )
}

/// Asks once. Where the situation is a service of its own it comes first, and
/// the batch only when it is processed.
pub async fn ask(session: &Session<'_>, protocol: &str, rps: &Rps) -> Fate {
    session.follow(rps);
    let mut status = None;
    if session.system.status_first() {
        match query(session, &Question::Status(protocol)).await {
            Ok(content) => match content.status {
                Some(1 | 2) => return Fate::Queued,
                Some(codigo @ (3 | 4)) => status = Some(codigo),
                _ => return without_nota(session, &content, None),
            },
            Err(fate) => return fate,
        }
    }
    match query(session, &Question::Batch(protocol)).await {
        Ok(mut content) => {
            content
                .notas
                .retain(|nota| nota.of_rps(&rps.serie, rps.number));
            if !content.notas.is_empty() {
                return Fate::Issued(content);
            }
            let status = content.status.or(status);
            without_nota(session, &content, status)
        }
        Err(fate) => fate,
    }
}

/// What an answer without note says.
fn without_nota(session: &Session<'_>, content: &Content, status: Option<u8>) -> Fate {
    let messages = content.messages.clone();
    if messages.is_empty() {
        return match status {
            Some(1 | 2) => Fate::Queued,
            _ => Fate::NoResult,
        };
    }
    match (session.system.classify(&messages), status) {
        (Class::Pending, _) | (_, Some(1 | 2)) => Fate::Queued,
        (Class::Duplicate, _) => Fate::Doubtful(messages),
        (_, Some(3)) => Fate::Refused(messages),
        (Class::NotFound, _) => Fate::NoResult,
        (Class::Credential, _) => Fate::Undetermined(Failure::credentials(messages)),
        _ => Fate::Doubtful(messages),
    }
}

async fn query(session: &Session<'_>, question: &Question<'_>) -> Result<Box<Content>, Fate> {
    let received = match session.ask(question).await {
        Ok(received) => received,
        Err(Missing::NoAnswer(Fault::Cancelled)) => return Err(Fate::GivenUp),
        Err(Missing::NoAnswer(fault)) => return Err(Fate::Undetermined(fault.into())),
        Err(Missing::NotSent(failure) | Missing::NotOpened(failure)) => {
            return Err(Fate::Undetermined(failure));
        }
    };
    let undetermined = received.undetermined("consulta do lote sem resposta clara");
    match received.reading {
        Reading::Content(content) => Ok(content),
        Reading::Barred => Err(Fate::Undetermined(Failure::credentials(vec![barred(
            received.response.status,
        )]))),
        _ => Err(Fate::Undetermined(undetermined)),
    }
}
