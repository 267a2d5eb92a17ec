//! Operations `consultar-rps` and `consultar-nota`: one look, no waiting.

use crate::content::Sale;
use crate::flow::batch::{self, Fate};
use crate::flow::issue::{found_nota, of_other};
use crate::flow::search::{self, Found, Target};
use crate::flow::session::{Session, giving_up};
use crate::system::{Rps, Service, System};
use sdk::nfse::{self, NotaRef, RpsRef};
use sdk::{Failure, FieldError, Flow, Operacao, Outcome, Situacao, Success};

/// Looks for the note of an RPS; with a protocol, by the batch first.
///
/// # Errors
/// The batch was refused, or nothing certain is known (may-exist).
pub async fn rps(flow: &Flow, op: &Operacao, system: &dyn System) -> Outcome {
    let session = Session::fresh(flow, system);
    let target: RpsRef = nfse::read(&op.conteudo, nfse::SCHEMA_RPS)?;
    let rps = Rps {
        serie: target.serie.trim().to_owned(),
        number: target.numero,
        emitted_at: target.emitido_em.clone(),
    };
    let mut refusal = None;
    let alone = system.lacks(Service::ByRps).is_some();
    let protocol = target.protocolo.filter(|p| !p.trim().is_empty());
    let processing = || Success::new(Situacao::EmProcessamento).protocol(protocol.clone());
    if let Some(protocol) = &protocol {
        match batch::ask(&session, protocol, &rps).await {
            Fate::Issued(content) => {
                if let Some(nota) = content.notas.into_iter().next() {
                    return Ok(found_nota(nota, content.alertas, Some(protocol.clone())));
                }
            }
            Fate::Refused(messages) => return Err(Failure::rejected(messages)),
            Fate::Undetermined(failure) if alone => return Err(failure.maybe_exists()),
            // No question by RPS confirms these messages: whether the note exists is open.
            Fate::Doubtful(messages) if alone => return Ok(processing().messages(messages)),
            Fate::Doubtful(messages) => refusal = Some(messages),
            Fate::NoResult if alone => return Ok(processing()),
            Fate::Queued => return Ok(processing()),
            Fate::NoResult | Fate::Undetermined(_) => {}
            Fate::GivenUp => return Err(giving_up()),
        }
    }
    match search::ask(&session, &Target::Rps(rps)).await {
        Found::Nota(nota, alertas) => {
            match nota.of_sale(target.valor.as_slice(), target.tomador.as_deref()) {
                Sale::Ours | Sale::Untold => Ok(found_nota(*nota, alertas, protocol)),
                Sale::Another => {
                    let mut messages = refusal.unwrap_or_default();
                    messages.push(of_other());
                    Err(Failure::rejected(messages))
                }
            }
        }
        Found::Pending => Ok(processing()),
        Found::Nothing => match refusal {
            Some(messages) => Err(Failure::rejected(messages)),
            None => Ok(Success::new(Situacao::NaoEncontrado).protocol(protocol)),
        },
        end => Err(failure(end)),
    }
}

/// Looks for a note by its number or, without one, by its RPS.
///
/// # Errors
/// Neither is given, or nothing certain is known (may-exist).
pub async fn nota(flow: &Flow, op: &Operacao, system: &dyn System) -> Outcome {
    let session = Session::fresh(flow, system);
    let nota: NotaRef = nfse::read(&op.conteudo, nfse::SCHEMA_REF)?;
    let Some(target) = target(system, &nota) else {
        return Err(Failure::invalid_input(vec![FieldError::new(
            "numero",
            "obrigatorio",
            "Informe o número da NFS-e ou o RPS.",
        )]));
    };
    match search::ask(&session, &target).await {
        Found::Nota(nota, alertas) => Ok(found_nota(*nota, alertas, None)),
        Found::Pending => Ok(Success::new(Situacao::EmProcessamento)),
        Found::Nothing => Ok(Success::new(Situacao::NaoEncontrado)),
        end => Err(failure(end)),
    }
}

/// How a note is best asked for: its RPS, whose answer has the cancellation
/// in every system, else its number; by RPS also where the system has no query
/// by number, and by number where it has none by RPS.
pub fn target(system: &dyn System, nota: &NotaRef) -> Option<Target> {
    let number = nota.numero.as_deref().map(str::trim);
    let numbered = number.is_some_and(|number| !number.is_empty());
    let by_rps = system.lacks(Service::ByRps).is_none() || !numbered;
    if let Some(rps) = nota.rps.as_ref().filter(|rps| rps.numero > 0 && by_rps) {
        return Some(Target::Rps(Rps {
            serie: rps.serie.trim().to_owned(),
            number: rps.numero,
            emitted_at: nota.emitida_em.clone(),
        }));
    }
    numbered.then(|| Target::Nota(nota.clone()))
}

/// A look-up that says nothing certain about the note.
fn failure(found: Found) -> Failure {
    match found {
        Found::Refusal(failure) | Found::Undetermined(failure) => failure.maybe_exists(),
        _ => giving_up(),
    }
}
