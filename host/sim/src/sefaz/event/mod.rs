//! NFeRecepcaoEvento4.

mod rules;
mod types;

pub use types::{KINDS, Kind};

use std::collections::BTreeMap;

use super::cstat::Refusal;
use super::soap::{Extracted, alone};
use super::{Incoming, NS, SYSTEM};
use crate::engine::Outcome;
use crate::notes::{Event, Nota, Record, Status};
use crate::request::Answer;
use crate::sefaz::answer;
use crate::sefaz::answer::{Place, VERSION, local, local_time, protocol};
use crate::sefaz::author::{same_company, signer};
use crate::sefaz::document::document;
use crate::sefaz::memory::{Call, MANIFESTED, RELEASING};
use crate::xml::{Element, escape, parse};

/// Most events of a batch.
const MAX_EVENTS: usize = 20;

/// Operation name of an event for faults and counters.
pub(super) fn operation(kind: &str) -> &'static str {
    match kind {
        "110111" | "110112" => "cancelar",
        "110110" => "cce",
        "210200" | "210210" | "210220" | "210240" => "manifestar",
        "110750" | "110751" => "econf",
        _ => "evento",
    }
}

/// One event of a batch.
struct Asked {
    /// The document alone.
    text: String,
    root: Element,
}

impl Asked {
    fn from(batch: &str, element: &Element) -> Option<Self> {
        let text = alone(element.source(batch), element);
        let root = parse(&text).ok()?;
        root.child("infEvento")?;
        Some(Self { text, root })
    }

    fn inf(&self) -> &Element {
        self.root.child("infEvento").unwrap_or(&self.root)
    }

    fn t(&self, path: &str) -> String {
        self.inf().text_at(path).unwrap_or_default()
    }

    fn author(&self) -> String {
        document(Some(self.inf()))
    }

    fn sequence(&self) -> u32 {
        self.t("nSeqEvento").parse().unwrap_or(0)
    }
}

/// What an event leads to once every rule holds.
struct Accepted {
    code: &'static str,
    nota: Option<Nota>,
}

/// NFeRecepcaoEvento4.
pub(super) fn batch(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Outcome {
    let refuse = |call: &Call<'_>, code: &str| incoming.refuse(call, &code.into()).into();
    let elements = events(incoming.root());
    if elements.is_empty() || elements.len() > MAX_EVENTS {
        return refuse(call, "215");
    }
    let mut read = Vec::with_capacity(elements.len());
    for element in elements {
        match Asked::from(&incoming.message.text, element) {
            Some(event) => read.push(event),
            None => return refuse(call, "215"),
        }
    }
    let organ = read.first().map(|e| e.t("cOrgao")).unwrap_or_default();
    let known = crate::documents::abbreviation_of(&organ).is_some()
        || matches!(organ.as_str(), "90" | "91" | "92");
    if !known {
        return refuse(call, "215");
    }
    if read.iter().any(|e| e.t("cOrgao") != organ) {
        return refuse(call, "477");
    }
    let (mut answers, mut again) = (String::new(), String::new());
    for event in &read {
        match judge(call, incoming, event) {
            Ok((one, twice)) => {
                answers.push_str(&one);
                again.push_str(&twice);
            }
            Err(answer) => return answer.into(),
        }
    }
    let batch = incoming.t("idLote");
    let answer =
        |inside: &str| incoming.answer(call, &returned(incoming.place, &batch, &organ, inside));
    Outcome {
        answer: answer(&answers),
        if_duplicate: Some(answer(&again)),
        tells_queue: false,
    }
}

fn events(root: &Element) -> Vec<&Element> {
    root.elements().filter(|e| e.name == "evento").collect()
}

fn returned(place: Place, batch: &str, organ: &str, inside: &str) -> String {
    format!(
        "<retEnvEvento xmlns=\"{NS}\" versao=\"1.00\"><idLote>{}</idLote><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic>\
         <cOrgao>{organ}</cOrgao><cStat>128</cStat><xMotivo>{}</xMotivo>{inside}</retEnvEvento>",
        answer::batch(batch),
        place.tp_amb(),
        place.text("128"),
    )
}

/// Judges one event and records it. Answers its `retEvento` and the one of
/// the same event sent once more.
fn judge(
    call: &mut Call<'_>,
    incoming: &Incoming<'_>,
    event: &Asked,
) -> Result<(String, String), Answer> {
    let place = incoming.place;
    let verdict = same_company(&incoming.caller, &event.author())
        .and_then(|()| signer(call, &event.root, event.inf()))
        .and_then(|holder| same_company(&holder, &event.author()))
        .and_then(|()| rules::check(call, place, event));
    let (kind, chave) = (event.t("tpEvento"), event.t("chNFe"));
    call.notes.attempt(format!(
        "{SYSTEM}|{}|evento|{chave}|{kind}|{}",
        place.local(),
        event.sequence()
    ));
    let accepted = match verdict {
        Ok(accepted) => accepted,
        Err(refusal) => {
            let text = event_return(call, place, event, &refusal, None);
            return Ok((text.clone(), text));
        }
    };
    let ret = register(call, place, event, &accepted)?;
    let again = event_return(call, place, event, &"573".into(), None);
    Ok((ret, again))
}

/// Gives an accepted event its protocol and records it; its `retEvento`.
fn register(
    call: &mut Call<'_>,
    place: Place,
    event: &Asked,
    accepted: &Accepted,
) -> Result<String, Answer> {
    let number = protocol(call, &event.t("cOrgao"));
    let ret = event_return(
        call,
        place,
        event,
        &accepted.code.into(),
        Some((&number, accepted.nota.as_ref())),
    );
    let xml = format!(
        "<procEventoNFe xmlns=\"{NS}\" versao=\"1.00\">{}{ret}</procEventoNFe>",
        event.text
    );
    record(call, place, event, accepted, &number, xml)?;
    Ok(ret)
}

/// Registers an event that the simulator itself made.
pub(super) fn register_made(
    call: &mut Call<'_>,
    place: Place,
    text: &str,
    code: &'static str,
    nota: Nota,
) -> Result<(), String> {
    let root = parse(text).map_err(|e| e.to_string())?;
    let event = Asked {
        text: text.to_owned(),
        root,
    };
    let accepted = Accepted {
        code,
        nota: Some(nota),
    };
    register(call, place, &event, &accepted)
        .map(|_ret| ())
        .map_err(|_| "diário do simulador".to_owned())
}

fn record(
    call: &mut Call<'_>,
    place: Place,
    event: &Asked,
    accepted: &Accepted,
    number: &str,
    xml: String,
) -> Result<(), Answer> {
    let kind = event.t("tpEvento");
    let data: BTreeMap<String, String> = [
        ("local", local(place.tp_amb()).to_owned()),
        ("nProt", number.to_owned()),
        ("cStat", accepted.code.to_owned()),
        ("orgao", event.t("cOrgao")),
        ("autor", event.author()),
        ("dhEvento", event.t("dhEvento")),
        ("xEvento", name(&kind).to_owned()),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    call.record(Record::Evento(Box::new(Event {
        chave: event.t("chNFe"),
        tipo: kind.clone(),
        sequencia: event.sequence(),
        registrado_ms: call.now_ms,
        xml,
        sistema: SYSTEM.to_owned(),
        dados: data,
    })))?;
    let Some(nota) = &accepted.nota else {
        return Ok(());
    };
    let change = if types::cancels(&kind) {
        Some((Status::Cancelada, BTreeMap::new()))
    } else if RELEASING.contains(&kind.as_str()) {
        Some((nota.situacao, [(MANIFESTED.to_owned(), kind)].into()))
    } else {
        None
    };
    match change {
        Some((status, data)) => call.record(Record::Situacao {
            id: nota.id(),
            situacao: status,
            dados: data,
        }),
        None => Ok(()),
    }
}

fn name(kind: &str) -> &'static str {
    types::find(kind).map_or("Evento", |t| t.name)
}

fn event_return(
    call: &Call<'_>,
    place: Place,
    event: &Asked,
    code: &Refusal,
    registered: Option<(&str, Option<&Nota>)>,
) -> String {
    let organ = event.t("cOrgao");
    let key = event.t("chNFe");
    let (id, protocol) = match registered {
        Some((number, _)) => (
            format!(" Id=\"ID{number}\""),
            format!("<nProt>{number}</nProt>"),
        ),
        None => (String::new(), String::new()),
    };
    let dest = registered
        .and_then(|(_, nota)| nota?.dados.get("dest").cloned())
        .unwrap_or_default();
    let dest = match dest.len() {
        14 => format!("<CNPJDest>{dest}</CNPJDest>"),
        11 => format!("<CPFDest>{dest}</CPFDest>"),
        _ => String::new(),
    };
    let kind = event.t("tpEvento");
    let known = types::find(&kind)
        .map(|t| format!("<xEvento>{}</xEvento>", escape(t.name)))
        .unwrap_or_default();
    let cuf = if organ == "91" {
        key.get(..2).unwrap_or_default()
    } else {
        &organ
    };
    let part = |name: &str, value: &str, ok: bool| {
        if ok {
            format!("<{name}>{value}</{name}>")
        } else {
            String::new()
        }
    };
    format!(
        "<retEvento xmlns=\"{NS}\" versao=\"1.00\"><infEvento{id}><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cOrgao>{organ}</cOrgao>\
         <cStat>{}</cStat><xMotivo>{}</xMotivo>{}{}{known}{}{dest}<dhRegEvento>{}</dhRegEvento>{protocol}</infEvento></retEvento>",
        place.tp_amb(),
        code.code,
        place.reason(code),
        part("chNFe", &key, super::chave::split(&key).is_some()),
        part(
            "tpEvento",
            &kind,
            kind.len() == 6 && kind.bytes().all(|b| b.is_ascii_digit())
        ),
        part(
            "nSeqEvento",
            &event.sequence().to_string(),
            (1..=99).contains(&event.sequence())
        ),
        local_time(call.now_ms, cuf),
    )
}

/// The refusal of every event of a batch, as a fault orders it.
pub(super) fn ordered(
    call: &Call<'_>,
    place: Place,
    message: &Extracted,
    refusal: &Refusal,
) -> Option<String> {
    let read: Vec<Asked> = events(&message.root)
        .into_iter()
        .take(MAX_EVENTS)
        .filter_map(|e| Asked::from(&message.text, e))
        .collect();
    let organ = read.first()?.t("cOrgao");
    let inside: String = read
        .iter()
        .map(|e| event_return(call, place, e, refusal, None))
        .collect();
    let batch = message.root.text_at("idLote").unwrap_or_default();
    Some(returned(place, &batch, &organ, &inside))
}
