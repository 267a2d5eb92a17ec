//! Municipal systems that are learned from recorded exchanges (cassettes): a
//! city speaks whatever protocol its cases show, with no code of its own.
//!
//! `README.md` of this crate says what the cases must have and by which rules an
//! answer is made of a recorded one.

mod case;
mod cities;
mod city;
mod facts;
mod form;
mod issue;
mod message;
mod query;
mod scan;
mod search;
mod signed;
mod structure;
mod template;
mod work;

use crate::engine::faults::Peek;
use crate::engine::{Call, Outcome};
use crate::nfse::abrasf;
use crate::request::{Answer, SimRequest};
use case::Op;
pub use cities::Cities;
pub(crate) use cities::Recognized;
use city::City;
use facts::Fact;
use message::Message;
pub(crate) use search::see;
use work::Work;

/// The learned system a request is for; None where no case shows its like.
pub(crate) fn recognize(cities: &Cities, req: &SimRequest) -> Option<Recognized> {
    if cities.is_empty() {
        return None;
    }
    cities.recognize(&req.authority(), Message::of(req))
}

/// What the faults look at.
pub(crate) fn peek(known: &Recognized, req: &SimRequest, host: &str) -> Peek {
    let sample = known.sample();
    let provider = sample.and_then(|sample| sample.fact(Fact::Provider, &known.message));
    Peek {
        host: host.to_owned(),
        operation: sample.map_or("outra", |sample| sample.op.name()),
        documents: req.holder_document().into_iter().chain(provider).collect(),
        ..Peek::default()
    }
}

/// Processes one request.
pub(crate) fn process(call: &mut Call<'_>, known: &Recognized) -> Outcome {
    let Some(work) = Work::of(call, known) else {
        return Answer::new(404, "text/plain", "").into();
    };
    if !work.city.lacks.is_empty() {
        return incomplete(work.city).into();
    }
    if let Err(answer) = work.admit(call) {
        return answer.into();
    }
    match work.sample.op {
        Op::Session => work.as_recorded(call).into(),
        Op::Issue | Op::Replace => issue::issue(call, &work),
        Op::QueryBatch => query::batch(call, &work).into(),
        Op::Query => query::note(call, &work).into(),
        Op::Cancel => query::cancel(call, &work),
    }
}

/// A city whose cases do not suffice says so, whatever it is asked: half an answer would
/// look like a fault of the adapter.
fn incomplete(city: &City) -> Answer {
    let lacks = city.lacks.join("; ");
    tracing::warn!(city = %city.name, %lacks, "a simulated city whose cases do not suffice was asked");
    let text = format!("Os casos gravados desta cidade não bastam: {lacks}.");
    Answer::new(501, "text/plain; charset=utf-8", text)
}

/// Refusal that a fault orders.
pub(crate) fn refuse(
    call: &Call<'_>,
    known: &Recognized,
    code: &str,
    text: Option<&str>,
) -> Answer {
    match Work::of(call, known) {
        Some(work) => work.refuse(
            call,
            Some(code),
            text.unwrap_or("Recusado pela prefeitura."),
        ),
        None => Answer::new(404, "text/plain", ""),
    }
}

/// The service's own internal error: a Fault where the request has an envelope.
pub(crate) fn internal_error(call: &Call<'_>, known: &Recognized) -> Answer {
    if in_envelope(known) {
        return abrasf::internal_error(call);
    }
    Answer::new(500, "text/plain; charset=utf-8", "Erro interno do servidor")
}

/// What it answers to a certificate that expired.
pub(crate) fn expired(call: &Call<'_>, known: &Recognized) -> Answer {
    if in_envelope(known) {
        return abrasf::expired(call);
    }
    Answer::new(403, "text/plain; charset=utf-8", "Certificado expirado")
}

fn in_envelope(known: &Recognized) -> bool {
    let body = known.message.documents.first();
    body.is_some_and(|document| document.root.name == "Envelope")
}
