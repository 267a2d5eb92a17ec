//! NFeRecepcaoEvento4, and what registering an event of CT-e and MDF-e has in
//! common with it.

mod rules;
mod types;

pub use types::{KINDS, Kind};

use std::collections::BTreeMap;

use super::cstat::Refusal;
use super::family::{Family, NFE};
use super::soap::{Extracted, alone};
use super::{Incoming, SYSTEM};
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
pub(super) fn operation(family: &Family, kind: &str) -> &'static str {
    match kind {
        "110112" if !family.is_nfe() => "encerrar",
        "110111" | "110112" => "cancelar",
        "110110" => "cce",
        "210200" | "210210" | "210220" | "210240" => "manifestar",
        "110750" | "110751" => "econf",
        _ => "evento",
    }
}

/// One event that was sent.
pub(super) struct Asked {
    /// The document alone.
    pub text: String,
    pub root: Element,
    family: &'static Family,
}

impl Asked {
    pub fn from(family: &'static Family, batch: &str, element: &Element) -> Option<Self> {
        let text = alone(element.source(batch), element);
        let root = parse(&text).ok()?;
        root.child("infEvento")?;
        Some(Self { text, root, family })
    }

    pub fn inf(&self) -> &Element {
        self.root.child("infEvento").unwrap_or(&self.root)
    }

    pub fn t(&self, path: &str) -> String {
        self.inf().text_at(path).unwrap_or_default()
    }

    /// Key of the document it is about.
    pub fn chave(&self) -> String {
        self.t(&self.family.chave())
    }

    pub fn author(&self) -> String {
        document(Some(self.inf()))
    }

    pub fn sequence(&self) -> u32 {
        self.t("nSeqEvento").parse().unwrap_or(0)
    }

    /// The `Id` it must have (572, 628).
    pub fn id(&self) -> String {
        let (kind, key, n) = (self.t("tpEvento"), self.chave(), self.sequence());
        format!("ID{kind}{key}{n:0width$}", width = self.family.sequence)
    }
}

/// What an event leads to once every rule holds.
pub(super) struct Accepted {
    pub code: &'static str,
    pub nota: Option<Nota>,
    /// `xEvento`.
    pub name: &'static str,
}

/// Judges an event whose signature holds.
pub(super) type Rules = fn(&Call<'_>, Place, &Asked) -> Result<Accepted, Refusal>;

/// NFeRecepcaoEvento4.
pub(super) fn batch(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Outcome {
    let refuse = |call: &Call<'_>, code: &str| incoming.refuse(call, &code.into()).into();
    let elements = events(incoming.root());
    if elements.is_empty() || elements.len() > MAX_EVENTS {
        return refuse(call, "215");
    }
    let mut read = Vec::with_capacity(elements.len());
    for element in elements {
        match Asked::from(&NFE, &incoming.message.text, element) {
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
        match judge(call, incoming, event, rules::check) {
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
    let ns = NFE.ns;
    format!(
        "<retEnvEvento xmlns=\"{ns}\" versao=\"1.00\"><idLote>{}</idLote><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic>\
         <cOrgao>{organ}</cOrgao><cStat>128</cStat><xMotivo>{}</xMotivo>{inside}</retEnvEvento>",
        answer::batch(batch),
        place.tp_amb(),
        place.text("128"),
    )
}

/// Judges one event and records it. Answers its `retEvento` and the one of
/// the same event sent once more.
pub(super) fn judge(
    call: &mut Call<'_>,
    incoming: &Incoming<'_>,
    event: &Asked,
    rules: Rules,
) -> Result<(String, String), Answer> {
    let place = incoming.place;
    let verdict = same_company(&incoming.caller, &event.author())
        .and_then(|()| signer(call, &event.root, event.inf()))
        .and_then(|holder| same_company(&holder, &event.author()))
        .and_then(|()| rules(call, place, event));
    let (kind, chave) = (event.t("tpEvento"), event.chave());
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
    let duplicate = Refusal::from(event.family.duplicate_event);
    let again = event_return(call, place, event, &duplicate, None);
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
        Some((&number, accepted)),
    );
    let Family { name, ns, .. } = event.family;
    let version = event.family.event_version();
    let xml = format!(
        "<procEvento{name} xmlns=\"{ns}\" versao=\"{version}\">{}{ret}</procEvento{name}>",
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
        family: &NFE,
    };
    let accepted = Accepted {
        code,
        nota: Some(nota),
        name: name(&event.t("tpEvento")),
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
        ("xEvento", accepted.name.to_owned()),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    call.record(Record::Evento(Box::new(Event {
        chave: event.chave(),
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
    let note = event.family.is_nfe();
    let cancels = if note {
        types::cancels(&kind)
    } else {
        kind == "110111"
    };
    let change = if cancels {
        Some((Status::Cancelada, BTreeMap::new()))
    } else if !note {
        Some((nota.situacao, [(kind, number.to_owned())].into()))
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

/// The answer to an event; registered under this number and with what was
/// accepted, or refused.
pub(super) fn event_return(
    call: &Call<'_>,
    place: Place,
    event: &Asked,
    code: &Refusal,
    registered: Option<(&str, &Accepted)>,
) -> String {
    let family = event.family;
    let organ = event.t("cOrgao");
    let key = event.chave();
    let (id, protocol) = match registered {
        Some((number, _)) => (
            format!(" Id=\"ID{number}\""),
            format!("<nProt>{number}</nProt>"),
        ),
        None => (String::new(), String::new()),
    };
    let dest = registered
        .filter(|_| family.is_nfe())
        .and_then(|(_, accepted)| accepted.nota.as_ref()?.dados.get("dest").cloned())
        .unwrap_or_default();
    let dest = match dest.len() {
        14 => format!("<CNPJDest>{dest}</CNPJDest>"),
        11 => format!("<CPFDest>{dest}</CPFDest>"),
        _ => String::new(),
    };
    let kind = event.t("tpEvento");
    let known = if family.is_nfe() {
        types::find(&kind).map(|t| t.name)
    } else {
        registered.map(|(_, accepted)| accepted.name)
    };
    let known = known
        .map(|name| format!("<xEvento>{}</xEvento>", escape(name)))
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
    // CT-e and MDF-e give the moment with a registration only.
    let moment = part(
        "dhRegEvento",
        &local_time(call.now_ms, cuf),
        family.is_nfe() || registered.is_some(),
    );
    let (root, ns, version) = (family.event_answer, family.ns, family.event_version());
    format!(
        "<{root} xmlns=\"{ns}\" versao=\"{version}\"><infEvento{id}><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cOrgao>{organ}</cOrgao>\
         <cStat>{}</cStat><xMotivo>{}</xMotivo>{}{}{known}{}{dest}{moment}{protocol}</infEvento></{root}>",
        place.tp_amb(),
        code.code,
        place.reason(code),
        part(&family.chave(), &key, super::chave::split(&key).is_some()),
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
        .filter_map(|e| Asked::from(&NFE, &message.text, e))
        .collect();
    if !place.family().is_nfe() {
        let event = Asked::from(place.family(), &message.text, &message.root)?;
        return Some(event_return(call, place, &event, refusal, None));
    }
    let organ = read.first()?.t("cOrgao");
    let inside: String = read
        .iter()
        .map(|e| event_return(call, place, e, refusal, None))
        .collect();
    let batch = message.root.text_at("idLote").unwrap_or_default();
    Some(returned(place, &batch, &organ, &inside))
}
