//! Looks a note up, by its RPS or by its number.

use crate::class::Class;
use crate::content::{Content, Nota, Reading};
use crate::flow::session::{Missing, Received, Session, barred};
use crate::system::{Question, Rps};
use sdk::nfse::NotaRef;
use sdk::{Failure, Fault, Mensagem};

/// What a look-up found out.
pub enum Found {
    Nota(Box<Nota>, Vec<Mensagem>),
    /// The city says clearly that it has none.
    Nothing,
    /// The city has the RPS but no note yet.
    Pending,
    /// Certificate, login: asking again changes nothing.
    Refusal(Failure),
    /// Not known.
    Undetermined(Failure),
    /// Someone gave up on the flow.
    GivenUp,
}

/// What to look for.
#[derive(Clone, Debug)]
pub enum Target {
    Rps(Rps),
    Nota(NotaRef),
}

impl Target {
    fn question(&self) -> Question<'_> {
        match self {
            Target::Rps(rps) => Question::ByRps(rps),
            Target::Nota(nota) => Question::ByNota(nota),
        }
    }

    /// The answer's note that is the one asked for; of several that could be, one
    /// that names its RPS.
    fn choose(&self, mut notas: Vec<Nota>) -> Option<Nota> {
        if matches!(self, Target::Rps(_)) {
            notas.sort_by_key(|nota| nota.rps.is_none());
        }
        notas.into_iter().find(|nota| match self {
            Target::Rps(rps) => nota.of_rps(&rps.serie, rps.number),
            Target::Nota(asked) => {
                let without_zeros = |n: &str| n.trim().trim_start_matches('0').to_owned();
                match (&nota.documento.numero, &asked.numero) {
                    (Some(of_nota), Some(asked)) => without_zeros(of_nota) == without_zeros(asked),
                    _ => false,
                }
            }
        })
    }
}

/// Asks once.
pub async fn ask(session: &Session<'_>, target: &Target) -> Found {
    let question = target.question();
    if let Some(reason) = session.system.lacks(question.service()) {
        return Found::Refusal(Failure::not_supported(reason));
    }
    match session.ask(&question).await {
        Ok(received) => judge(session, target, received),
        Err(Missing::NoAnswer(Fault::Cancelled)) => Found::GivenUp,
        Err(Missing::NoAnswer(fault)) => Found::Undetermined(fault.into()),
        Err(Missing::NotSent(failure)) => Found::Refusal(failure),
        Err(Missing::NotOpened(failure)) => Found::Undetermined(failure),
    }
}

fn judge(session: &Session<'_>, target: &Target, received: Received) -> Found {
    match received.reading {
        Reading::Content(content) => {
            let Content {
                notas,
                messages,
                mut alertas,
                empty_list,
                ..
            } = *content;
            let undetermined = |reason: &str| {
                Found::Undetermined(Failure::unexpected(reason, &received.response.body))
            };
            if !notas.is_empty() {
                return match target.choose(notas) {
                    Some(nota) => {
                        alertas.extend(messages);
                        Found::Nota(Box::new(nota), alertas)
                    }
                    None => undetermined("a consulta trouxe outra nota"),
                };
            }
            if empty_list {
                return Found::Nothing;
            }
            if messages.is_empty() {
                return undetermined("consulta sem nota e sem mensagem");
            }
            match session.system.classify(&messages) {
                Class::Pending => Found::Pending,
                Class::NotFound => Found::Nothing,
                Class::Credential => Found::Refusal(Failure::credentials(messages)),
                // Refused was the question: it says nothing about the note.
                Class::Refusal | Class::Duplicate | Class::AlreadyCancelled => Found::Undetermined(
                    Failure::unexpected("a prefeitura recusou a consulta", &received.response.body),
                ),
            }
        }
        Reading::Fault(ref fault) => match session.system.fault(fault) {
            Some(Class::Credential) => Found::Refusal(Failure::credentials(vec![Mensagem::new(
                &fault.code,
                &fault.text,
            )])),
            _ => Found::Undetermined(received.undetermined("SOAP Fault na consulta")),
        },
        Reading::Barred => Found::Refusal(
            Failure::credentials(vec![barred(received.response.status)])
                .with_evidence(&received.response.body),
        ),
        Reading::Throttled(_) => Found::Undetermined(received.undetermined("consultas demais")),
        Reading::Illegible(reason) => Found::Undetermined(received.undetermined(reason)),
    }
}
