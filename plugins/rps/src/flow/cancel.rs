//! Operation `cancelar`.

use crate::class::Class;
use crate::content::Nota;
use crate::flow::pace::{MAX_SEARCHES, MAX_SENDINGS, MAX_STEPS, NOT_FOUND_TIMES, wait_ms};
use crate::flow::query::target;
use crate::flow::search::{self, Found, Target};
use crate::flow::session::{Missing, Received, Session, WithoutContent, giving_up};
use crate::system::{Question, Service, System};
use sdk::nfse::{self, Cancelamento};
use sdk::{
    Documento, Failure, FailureReason, Fault, FieldError, Flow, Mensagem, Operacao, Outcome,
    Situacao, Success,
};

/// What one answer says.
enum Verdict {
    Cancelled(Box<Documento>, Vec<Mensagem>),
    /// Cancelled before, by this flow or by somebody else.
    AlreadyCancelled(Vec<Mensagem>),
    Refused(Failure),
    /// The city received the request and decides later.
    Requested,
    Uncertain(Failure),
}

/// What the note looks like.
enum State {
    Cancelled(Box<Nota>),
    /// Valid, several times.
    Valid,
    End(Failure),
}

/// Cancels a note.
///
/// # Errors
/// May-exist here means that the cancellation may have happened.
pub async fn cancel(flow: &Flow, op: &Operacao, system: &dyn System) -> Outcome {
    if let Some(reason) = system.lacks(Service::Cancel) {
        return Err(Failure::not_supported(reason));
    }
    let session = Session::fresh(flow, system);
    let request: Cancelamento = nfse::read(&op.conteudo, nfse::SCHEMA_CANCELAMENTO)?;
    let question = Question::Cancel(&request);
    let target = target(system, &request.documento);
    if system.looks_before_cancelling()
        && let Some(cancelled) = look(&session, target.as_ref()).await?
    {
        return Ok(cancelled);
    }
    let message = session.message(&question).await?;
    let mut last = Failure::other("sem envio");
    for sending in 1..=MAX_SENDINGS {
        let repeated = sending > 1;
        match send(&session, &question, &message, repeated).await? {
            Verdict::Cancelled(evento, alertas) => {
                return Ok(Success::new(Situacao::Cancelado)
                    .documento(*evento)
                    .messages(alertas));
            }
            Verdict::AlreadyCancelled(messages) => {
                return Ok(already_cancelled(&session, target.as_ref(), messages).await);
            }
            Verdict::Refused(failure) => {
                return refused(&session, target.as_ref(), failure, repeated).await;
            }
            Verdict::Requested => return requested(&session, target.as_ref()).await,
            Verdict::Uncertain(failure) => {
                let Some(target) = &target else {
                    return Err(failure.maybe_exists());
                };
                match verify(&session, target).await {
                    State::Cancelled(nota) => return Ok(cancelled(*nota, Vec::new())),
                    State::Valid => last = failure,
                    State::End(failure) => return Err(failure.maybe_exists()),
                }
            }
        }
        if flow.asks() >= MAX_STEPS {
            break;
        }
    }
    Err(last.maybe_exists())
}

async fn send(
    session: &Session<'_>,
    question: &Question<'_>,
    message: &str,
    repeated: bool,
) -> Result<Verdict, Failure> {
    let maybe = |failure: Failure| {
        if repeated {
            failure.maybe_exists()
        } else {
            failure
        }
    };
    match session.send(question, message).await {
        Ok(received) => Ok(judge(session.system, received)),
        Err(Missing::NoAnswer(Fault::Cancelled)) => Err(giving_up()),
        Err(Missing::NoAnswer(fault)) if fault.maybe_arrived() => {
            Ok(Verdict::Uncertain(fault.into()))
        }
        Err(Missing::NoAnswer(_)) => Err(maybe(Failure::unavailable(
            None,
            "a prefeitura nao atendeu",
        ))),
        Err(Missing::NotSent(failure) | Missing::NotOpened(failure)) => Err(maybe(failure)),
    }
}

fn judge(system: &dyn System, received: Received) -> Verdict {
    let (content, response) = match received.content(system) {
        Ok(read) => read,
        Err(WithoutContent::Refused(failure)) => return Verdict::Refused(failure),
        Err(WithoutContent::Uncertain(failure)) => return Verdict::Uncertain(failure),
    };
    let mut alertas = content.alertas;
    if let Some(evento) = content.cancelamento {
        alertas.extend(content.messages);
        return Verdict::Cancelled(Box::new(evento), alertas);
    }
    if content.requested {
        return Verdict::Requested;
    }
    let messages = content.messages;
    if messages.is_empty() {
        return Verdict::Uncertain(Failure::unexpected(
            "resposta sem confirmacao nem mensagem",
            &response.body,
        ));
    }
    match system.classify(&messages) {
        Class::AlreadyCancelled => Verdict::AlreadyCancelled(messages),
        Class::Pending => Verdict::Uncertain(Failure::other("cancelamento em processamento")),
        Class::Credential => Verdict::Refused(Failure::credentials(messages)),
        _ => Verdict::Refused(Failure::rejected(messages)),
    }
}

/// Shows the note to the session before anything is sent. A note that is
/// cancelled already is the end.
async fn look(session: &Session<'_>, target: Option<&Target>) -> Result<Option<Success>, Failure> {
    let Some(target) = target else {
        return Err(Failure::invalid_input(vec![FieldError::new(
            "documento",
            "obrigatorio",
            "Informe o número da NFS-e ou o RPS.",
        )]));
    };
    let mut n = 0;
    loop {
        let unseen = match search::ask(session, target).await {
            Found::Nota(nota, alertas) if nota.documento.situacao == Situacao::Cancelado => {
                return Ok(Some(cancelled(*nota, alertas)));
            }
            Found::Nota(nota, _) => {
                session.show(*nota);
                return Ok(None);
            }
            Found::Refusal(failure) => return Err(failure),
            Found::GivenUp => return Err(giving_up()),
            Found::Undetermined(failure) => failure,
            Found::Nothing | Found::Pending => {
                Failure::unavailable(None, "a prefeitura nao mostra a NFS-e a cancelar")
            }
        };
        n += 1;
        if n >= NOT_FOUND_TIMES {
            return Err(unseen);
        }
        let wait = wait_ms(session.system.interval_ms(), n - 1);
        if session
            .wait(wait, "consulta da NFS-e a cancelar")
            .await
            .is_err()
        {
            return Err(giving_up());
        }
    }
}

/// An explicit no, which the note itself confirms where the system's words
/// are not known well enough.
async fn refused(
    session: &Session<'_>,
    target: Option<&Target>,
    failure: Failure,
    repeated: bool,
) -> Outcome {
    let doubted = session.system.doubts_refused_cancellations()
        && matches!(failure.reason, FailureReason::Rejected(_));
    if doubted && let Some(target) = target {
        match verify(session, target).await {
            State::Cancelled(nota) => return Ok(cancelled(*nota, Vec::new())),
            State::Valid => {}
            State::End(failure) => return Err(failure.maybe_exists()),
        }
    }
    Err(if repeated {
        failure.maybe_exists()
    } else {
        failure
    })
}

/// A cancellation that the city decides about: it may follow at once.
async fn requested(session: &Session<'_>, target: Option<&Target>) -> Outcome {
    if let Some(target) = target
        && let State::Cancelled(nota) = verify(session, target).await
    {
        return Ok(cancelled(*nota, Vec::new()));
    }
    Ok(Success::new(Situacao::EmProcessamento))
}

/// Looks at the note until it is cancelled or was seen valid often enough.
async fn verify(session: &Session<'_>, target: &Target) -> State {
    let flow = session.flow;
    let mut valid = 0;
    let mut unanswered = 0;
    let mut n = 0;
    loop {
        if flow.asks() >= MAX_STEPS {
            return State::End(Failure::other("consultas demais sem resultado"));
        }
        let wait = wait_ms(session.system.interval_ms(), n);
        n += 1;
        let reason = "confirmação do cancelamento: consulta da NFS-e";
        if session.wait(wait, reason).await.is_err() {
            return State::End(giving_up());
        }
        match search::ask(session, target).await {
            Found::Nota(nota, _) if nota.documento.situacao == Situacao::Cancelado => {
                return State::Cancelled(nota);
            }
            Found::Nota(..) => {
                valid += 1;
                if valid >= NOT_FOUND_TIMES {
                    return State::Valid;
                }
            }
            Found::Refusal(failure) => return State::End(failure),
            Found::GivenUp => return State::End(giving_up()),
            Found::Undetermined(failure) => {
                unanswered += 1;
                if unanswered >= MAX_SEARCHES {
                    return State::End(failure);
                }
            }
            Found::Nothing | Found::Pending => {
                unanswered += 1;
                if unanswered >= MAX_SEARCHES {
                    return State::End(Failure::other("a prefeitura nao mostra a NFS-e"));
                }
            }
        }
    }
}

/// "Already cancelled" is the city's explicit word; the note itself is
/// fetched if the city gives it.
async fn already_cancelled(
    session: &Session<'_>,
    target: Option<&Target>,
    messages: Vec<Mensagem>,
) -> Success {
    if let Some(target) = target
        && let Found::Nota(nota, _) = search::ask(session, target).await
        && nota.documento.situacao == Situacao::Cancelado
    {
        return cancelled(*nota, messages);
    }
    Success::new(Situacao::Cancelado).messages(messages)
}

fn cancelled(nota: Nota, messages: Vec<Mensagem>) -> Success {
    Success::new(Situacao::Cancelado)
        .documento(nota.documento)
        .messages(messages)
}
