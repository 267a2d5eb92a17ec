//! Operation "evento": one signed event.
//!
//! The authority knows an event by key, kind and number, so a second copy is
//! refused (573) and can be looked for.

use crate::Call;
use crate::answer::cstat::{Class, State};
use crate::answer::event::{self, Evento};
use crate::answer::{self, Answer};
use crate::content::{self, Evento as Pedido};
use crate::family::Family;
use crate::query::{Absent, Queried};
use crate::request::{documento, message, tp_amb};
use crate::sending::Sent;
use crate::service::Service;
use sdk::{Conteudo, Failure, Flow, Outcome, Success};

/// cOrgao of the national environment.
const AN_AGENCY: u32 = 91;
/// EPEC.
const EPEC: &str = "110140";
/// Waits before each question after a lost answer, in units of the first
/// interval. Then the flow ends and the host runs the operation again.
const WAITS: [u64; 2] = [1, 4];

/// What an answer says about our event.
enum Reading {
    End(Outcome),
    /// There is one already, or the document is cancelled already.
    AlreadyExists(Failure),
    Doubt(Failure),
}

/// What the authority has.
enum Search {
    Found(Outcome),
    /// It showed the document, and the event is not there.
    NoEvent,
    Unknown,
}

pub async fn registrar(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Pedido = content::read(content, content::EVENTO)?;
    let call = Call::fresh(flow, request.family()?)?;
    let service = call.service_of_event(&request);
    let sending = call.build(service, &carrier(call.family, &request)?)?;
    let reading = match call.send(sending).await? {
        Sent::Answer(received) => match call.open(&received, service) {
            Ok(answer) => read(&answer, &request, tp_amb(flow.ctx())),
            Err(failure) if answer::not_looked_at(&failure) => Reading::End(Err(failure)),
            Err(failure) => Reading::Doubt(failure),
        },
        Sent::Lost(failure) => Reading::Doubt(failure),
    };
    match reading {
        Reading::End(end) => end,
        Reading::AlreadyExists(refusal) => match call.look_for(&request).await {
            Search::Found(end) => end,
            Search::NoEvent => Err(refusal),
            Search::Unknown => Err(refusal.maybe_exists()),
        },
        Reading::Doubt(failure) => {
            for times in WAITS {
                let goes_on = call
                    .wait(times, "resultado do evento desconhecido: consultar a chave")
                    .await;
                if let Search::Found(end) = call.look_for(&request).await {
                    return end;
                }
                if !goes_on {
                    break;
                }
            }
            Err(failure.maybe_exists())
        }
    }
}

/// The message that carries the event: a lot of one (NF-e, NFC-e), or the
/// event itself, not compressed (MOC CT-e 4.00, 5.1).
///
/// # Errors
/// The host has no document for this call.
fn carrier(family: &Family, request: &Pedido) -> Result<String, Failure> {
    let evento = documento()?;
    if !family.is_nfe() {
        return Ok(evento);
    }
    Ok(message(family, "envEvento", &request.versao, |w| {
        w.leaf("idLote", &request.id_lote);
        w.raw(&evento);
    }))
}

impl Call<'_> {
    fn service_of_event(&self, request: &Pedido) -> Service {
        if !self.family.is_nfe() {
            return Service::Evento;
        }
        let epec = self.flow.ctx().has_endpoint(Service::Epec.endpoint());
        if request.tipo_evento == EPEC && epec {
            Service::Epec
        } else if request.orgao == AN_AGENCY {
            Service::EventoAn
        } else {
            Service::Evento
        }
    }

    /// What was found of the event.
    fn judged(&self, found: Option<Evento>, request: &Pedido) -> Search {
        match found {
            Some(found) if !found.is_valid(self.family, tp_amb(self.flow.ctx())) => Search::Unknown,
            Some(found) => Search::Found(Ok(success(self.family, found, request))),
            None => Search::NoEvent,
        }
    }

    /// Looks for the event among those of its document.
    async fn look_for(&self, request: &Pedido) -> Search {
        match self.query(&request.chave).await {
            Queried::Found(nota) => {
                let found = nota.evento(&request.chave, &request.tipo_evento, request.sequencia);
                self.judged(found, request)
            }
            // EPEC comes before its document.
            Queried::Absent(Absent { eventos, .. }) => {
                let found = eventos.into_iter().find(|read| {
                    read.e(&request.chave, &request.tipo_evento, request.sequencia)
                        && event::registered(self.family, &read.state)
                });
                self.judged(found, request)
            }
            Queried::OtherChave(_) | Queried::Unknown(_) => Search::Unknown,
        }
    }
}

fn success(family: &Family, found: Evento, request: &Pedido) -> Success {
    let message = found.state.message();
    let protocol = found.documento.protocolo.clone();
    Success::new(event::status_after(family, &request.tipo_evento))
        .documento(found.documento)
        .protocol(protocol)
        .messages(vec![message])
}

/// retEnvEvento with its retEvento; retEventoCTe and retEventoMDFe, which are
/// the answer themselves.
fn read(answer: &Answer, request: &Pedido, ambiente: &str) -> Reading {
    let (root, family) = (answer.root(), answer.family);
    let doubt = |reason| Reading::Doubt(Failure::unexpected(reason, answer.text()));
    let element = if family.is_nfe() {
        root.child(family.event_answer)
    } else {
        Some(root)
    };
    let Some(element) = element else {
        return match State::of(root) {
            // The lot itself was refused, and the event with it.
            Some(state) => judge(answer, &state, request),
            None => doubt("resposta sem cStat"),
        };
    };
    let Some(read) = Evento::read(answer, element) else {
        return doubt("evento sem cStat");
    };
    if !event::registered(family, &read.state) {
        // A refusal may leave out what it could not read.
        let of_other = read
            .chave
            .as_deref()
            .is_some_and(|chave| chave != request.chave);
        return if of_other {
            doubt("evento de outra chave")
        } else {
            judge(answer, &read.state, request)
        };
    }
    if !read.e(&request.chave, &request.tipo_evento, request.sequencia) {
        return doubt("registro de outro evento");
    }
    if !read.is_valid(family, ambiente) {
        return doubt("registro sem protocolo ou de outro ambiente");
    }
    Reading::End(Ok(success(family, read, request)))
}

/// A state that is no yes.
fn judge(answer: &Answer, state: &State, request: &Pedido) -> Reading {
    let (failure, family) = (state.failure(answer), answer.family);
    match state.cstat.as_str() {
        cstat if cstat == family.codes.duplicate_event => Reading::AlreadyExists(failure),
        // The document is cancelled already, or closed: by us, perhaps.
        cstat if family.done_before(&request.tipo_evento, cstat) => Reading::AlreadyExists(failure),
        // Of a second copy a refusal may mean the first one. The national
        // environment has no query of events.
        _ if request.reenvio
            && request.orgao != AN_AGENCY
            && state.class(family) == Class::Refusal =>
        {
            Reading::AlreadyExists(failure)
        }
        _ if state.class(family) == Class::Uncertain => Reading::Doubt(failure),
        _ => Reading::End(Err(failure)),
    }
}
