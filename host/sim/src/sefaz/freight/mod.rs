//! CT-e and MDF-e: services that take one document or one event at a time.
//!
//! Source: MOC CT-e 4.00 (overview and annex I) and MOC MDF-e 3.00 as public
//! repositories show them; the schemas PL_CTe_400 and PL_MDFe_300.

mod cte;
mod epec;
mod events;
mod key;
mod mdfe;
mod open;
mod qrcode;
mod query;
mod require;

use super::answer::{Place, Protocol, VERSION, local_time, returned};
use super::authorize::{self, Sent, ZERO_KEY};
use super::chave::split;
use super::cstat::Refusal;
use super::document::Dfe;
use super::event::{self, Asked};
use super::family::Op;
use super::memory::Call;
use super::soap::Extracted;
use super::{Incoming, query as status};
use crate::engine::Outcome;

/// Processes one request of CT-e or MDF-e.
pub(super) fn process(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Outcome {
    match incoming.place.service.op {
        Op::Authorize => document(call, incoming),
        Op::Event => event(call, incoming),
        Op::Status => status::status(call, incoming).into(),
        Op::Open => open::query(call, incoming).into(),
        _ => query::protocol(call, incoming).into(),
    }
}

/// CTeRecepcaoSincV4, MDFeRecepcaoSinc.
fn document(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Outcome {
    let place = incoming.place;
    let Some(dfe) = Dfe::from(place.family(), &incoming.message.text, incoming.root()) else {
        return incoming.refuse(call, &"215".into()).into();
    };
    let cuf = dfe.t("ide/cUF");
    if let Err(refusal) = require::served(place, &dfe.model(), dfe.uf()) {
        return incoming.refuse(call, &refusal).into();
    }
    let sent = Sent {
        dfe: &dfe,
        receipt: "",
        ready_ms: call.now_ms.saturating_add(call.queue_ms.unwrap_or(0)),
    };
    let rules = if dfe.model() == "57" {
        cte::rules
    } else {
        mdfe::rules
    };
    match authorize::judge(call, incoming, &sent, rules) {
        Ok((prot, again)) => Outcome {
            answer: incoming.answer(call, &answer(place, &cuf, &prot)),
            if_duplicate: Some(incoming.answer(call, &answer(place, &cuf, &again))),
            tells_queue: false,
        },
        Err(answer) => answer.into(),
    }
}

/// The return document around a protocol, whose code and text it repeats.
fn answer(place: Place, cuf: &str, prot: &str) -> String {
    let piece = |name: &str| {
        let (_, rest) = prot.split_once(&format!("<{name}>"))?;
        Some(rest.split_once("</")?.0)
    };
    let inside = format!(
        "<tpAmb>{}</tpAmb><cUF>{cuf}</cUF><verAplic>{VERSION}</verAplic><cStat>{}</cStat><xMotivo>{}</xMotivo>{prot}",
        place.tp_amb(),
        piece("cStat").unwrap_or_default(),
        piece("xMotivo").unwrap_or_default(),
    );
    returned(place, &inside)
}

/// CTeRecepcaoEventoV4, MDFeRecepcaoEvento.
fn event(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Outcome {
    let message = incoming.message;
    let Some(asked) = Asked::from(incoming.place.family(), &message.text, incoming.root()) else {
        return incoming.refuse(call, &"215".into()).into();
    };
    match event::judge(call, incoming, &asked, events::check) {
        Ok((ret, again)) => Outcome {
            answer: incoming.answer(call, &ret),
            if_duplicate: Some(incoming.answer(call, &again)),
            tells_queue: false,
        },
        Err(answer) => answer.into(),
    }
}

/// The refusal of a document, as a fault orders it.
pub(super) fn ordered(
    call: &Call<'_>,
    place: Place,
    message: &Extracted,
    refusal: &Refusal,
) -> Option<String> {
    let dfe = Dfe::from(place.family(), &message.text, &message.root)?;
    let (key, cuf) = (dfe.chave(), dfe.t("ide/cUF"));
    let prot = Protocol {
        place,
        chave: split(&key).map_or(ZERO_KEY, |_| key.as_str()),
        dh: local_time(call.now_ms, &cuf),
        protocol: None,
        digest: None,
        code: &refusal.code,
        reason: place.reason(refusal),
    };
    Some(answer(place, &cuf, &prot.xml()))
}
