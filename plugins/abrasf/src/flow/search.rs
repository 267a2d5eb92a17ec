//! Looks a note up, by its RPS or by its number.

use crate::answer::fault as classe_do_fault;
use crate::answer::{Class, Content, Nota, Reading, classify};
use crate::flow::session::{Missing, Received, Session, barred};
use crate::message::query::{Rps, service_by_number};
use crate::service::Service;
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
    Number(String),
}

impl Target {
    /// The service that knows; None: the system has none.
    fn service(&self, session: &Session<'_>) -> Option<Service> {
        match self {
            Target::Rps(_) => Some(Service::ConsultarRps),
            Target::Number(_) => service_by_number(&session.options),
        }
    }

    /// The answer's note that is the one asked for.
    fn choose(&self, notas: Vec<Nota>) -> Option<Nota> {
        notas.into_iter().find(|nota| match self {
            Target::Rps(rps) => nota.of_rps(&rps.serie, rps.number),
            Target::Number(number) => {
                let without_zeros = |n: &str| n.trim_start_matches('0').to_owned();
                nota.documento
                    .numero
                    .as_deref()
                    .is_some_and(|n| without_zeros(n) == without_zeros(number))
            }
        })
    }
}

/// Asks once.
pub async fn ask(session: &Session<'_>, target: &Target) -> Found {
    let Some(service) = target.service(session) else {
        return Found::Refusal(Failure::not_supported(
            "O webservice da prefeitura não consulta NFS-e pelo número.",
        ));
    };
    let message = match target {
        Target::Rps(rps) => session.query_rps(rps).await,
        Target::Number(number) => session.query_number(service, number).await,
    };
    let message = match message {
        Ok(message) => message,
        Err(failure) => return Found::Refusal(failure),
    };
    match session.send(service, &message).await {
        Ok(received) => judge(target, received),
        Err(Missing::NoAnswer(Fault::Cancelled)) => Found::GivenUp,
        Err(Missing::NoAnswer(fault)) => Found::Undetermined(fault.into()),
        Err(Missing::NotSent(failure)) => Found::Refusal(failure),
    }
}

fn judge(target: &Target, received: Received) -> Found {
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
            match classify(&messages) {
                Class::Pending => Found::Pending,
                Class::NotFound => Found::Nothing,
                Class::Credential => Found::Refusal(Failure::credentials(messages)),
                // Refused was the question: it says nothing about the note.
                Class::Refusal | Class::Duplicate | Class::AlreadyCancelled => Found::Undetermined(
                    Failure::unexpected("a prefeitura recusou a consulta", &received.response.body),
                ),
            }
        }
        Reading::Fault(ref fault) => match classe_do_fault(fault) {
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
