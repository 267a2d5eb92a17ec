//! Operation "evento": one signed event.
//!
//! The authority knows an event by key, kind and number, so a second copy is
//! refused (573) and can be looked for.

use crate::Call;
use crate::answer::cstat::{Class, State};
use crate::answer::event::{self, Evento};
use crate::answer::{self, Answer};
use crate::content::{self, Evento as Pedido};
use crate::query::Queried;
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
    let call = Call::fresh(flow)?;
    let evento = documento()?;
    let service = call.service_of_event(&request);
    let batch = message("envEvento", &request.versao, |w| {
        w.leaf("idLote", &request.id_lote);
        w.raw(&evento);
    });
    let sending = call.build(service, &batch)?;
    let reading = match call.send(sending).await? {
        Sent::Answer(received) => match answer::open(&received, service) {
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

impl Call<'_> {
    fn service_of_event(&self, request: &Pedido) -> Service {
        let epec = self.flow.ctx().has_endpoint(Service::Epec.endpoint());
        if request.tipo_evento == EPEC && epec {
            Service::Epec
        } else if request.orgao == AN_AGENCY {
            Service::EventoAn
        } else {
            Service::Evento
        }
    }

    /// Looks for the event among those of its document.
    async fn look_for(&self, request: &Pedido) -> Search {
        match self.query(&request.chave).await {
            Queried::Found(nota) => {
                match nota.evento(&request.chave, &request.tipo_evento, request.sequencia) {
                    Some(found) if !found.is_valid(tp_amb(self.flow.ctx())) => Search::Unknown,
                    Some(found) => Search::Found(Ok(success(found, request))),
                    None => Search::NoEvent,
                }
            }
            Queried::Absent(_) => Search::NoEvent,
            Queried::OtherChave(_) | Queried::Unknown(_) => Search::Unknown,
        }
    }
}

fn success(found: Evento, request: &Pedido) -> Success {
    let message = found.state.message();
    let protocol = found.documento.protocolo.clone();
    Success::new(event::status_after(&request.tipo_evento))
        .documento(found.documento)
        .protocol(protocol)
        .messages(vec![message])
}

/// retEnvEvento.
fn read(answer: &Answer, request: &Pedido, ambiente: &str) -> Reading {
    let root = answer.root();
    let doubt = |reason| Reading::Doubt(Failure::unexpected(reason, answer.text()));
    let Some(element) = root.child("retEvento") else {
        return match State::of(root) {
            // The lot itself was refused, and the event with it.
            Some(state) => judge(answer, &state, request),
            None => doubt("retEnvEvento sem cStat"),
        };
    };
    let Some(read) = Evento::read(answer, element) else {
        return doubt("retEvento sem cStat");
    };
    if !event::registered(&read.state) {
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
    if !read.is_valid(ambiente) {
        return doubt("registro sem protocolo ou de outro ambiente");
    }
    Reading::End(Ok(success(read, request)))
}

/// A state that is no yes.
fn judge(answer: &Answer, state: &State, request: &Pedido) -> Reading {
    let failure = state.failure(answer);
    match state.cstat.as_str() {
        // Duplicate event.
        "573" => Reading::AlreadyExists(failure),
        // The document is cancelled already: by us, perhaps.
        "218" | "420" if event::cancels(&request.tipo_evento) => Reading::AlreadyExists(failure),
        // Of a second copy a refusal may mean the first one. The national
        // environment has no query of events.
        _ if request.reenvio && request.orgao != AN_AGENCY && state.class() == Class::Refusal => {
            Reading::AlreadyExists(failure)
        }
        _ if state.class() == Class::Uncertain => Reading::Doubt(failure),
        _ => Reading::End(Err(failure)),
    }
}
