//! NF-e (55) and NFC-e (65): all authorizers and the national environment; CT-e
//! (57) and MDF-e (58): all authorizers.
//!
//! Sources: MOC CT-e 4.00 with its annex I, MOC MDF-e 3.00 (second hand); MOC 7.0 (overview and annex I), NT 2014.002, 2018.004, 2019.001,
//! 2025.001, 2025.002 and 2026.002 as public repositories show them (second
//! hand), XSD packages PL_010d to PL_010f, recorded traffic of 2020. Nothing
//! here is shared with the hub's rules.

mod answer;
mod author;
mod authorize;
pub mod chave;
pub mod cstat;
mod distribute;
mod document;
pub mod event;
pub mod family;
mod freight;
mod memory;
mod query;
mod queues;
pub mod rules;
mod search;
pub mod services;
pub mod soap;
mod structure;
mod supplier;
mod taxpayers;
mod void;

use crate::engine::Outcome;
use crate::engine::faults::Peek;
use crate::request::{Answer, SimRequest};
use crate::xml::Element;
use answer::{About, Place};
use author::SenderProblem;
pub(crate) use author::forbidden;
use cstat::Refusal;
use memory::Call;
pub use memory::Voiding;
pub(crate) use memory::{
    NoteMemory, Record, TABLES, events, newest_voidings, notes, receipts, voidings,
};
pub(crate) use services::knows;
use services::{Op, Service};
use soap::{Extracted, Problem};
pub use supplier::DepositOrder;
pub(crate) use supplier::{cancel as cancelar_deposito, deposit};

/// Name of this system in the state and the counters.
pub(crate) const SYSTEM: &str = "sefaz";
/// Namespace of the documents.
const NS: &str = "http://www.portalfiscal.inf.br/nfe";

/// The service a request is for; `None`: the host has no such address.
#[derive(Clone, Copy)]
pub(crate) struct Route(Option<&'static Service>);

impl Route {
    /// Code of abusive use.
    pub fn undue_use(self) -> &'static str {
        self.0.map_or("656", |service| service.family.undue_use)
    }

    pub fn of(req: &SimRequest, host: &str) -> Self {
        Self(services::find(host, req.plain_path()))
    }
}

/// A document of this system with its protocol.
pub(crate) fn proc_of(nota: &crate::notes::Nota) -> Option<String> {
    (nota.sistema == SYSTEM).then(|| answer::joined(nota))
}

/// What the faults look at.
pub(crate) fn peek(route: Route, req: &SimRequest, host: &str) -> Peek {
    let mut peek = Peek {
        host: host.to_owned(),
        operation: "outra",
        ..Peek::default()
    };
    peek.documents.extend(req.holder_document());
    let Some(service) = route.0 else { return peek };
    let message = soap::open(req, service).ok();
    let root = message.as_ref().map(|m| &m.root);
    peek.operation = match service.op {
        Op::Authorize => "autorizar",
        Op::Receipt => "recibo",
        Op::Query => "consultar",
        Op::Status => "status",
        Op::Event => "evento",
        Op::Void => "inutilizar",
        Op::Register => "cadastro",
        Op::Distribute => "distribuir",
        Op::Open => "nao_encerrados",
    };
    let kind = |r: &Element| {
        let inf = r.at("evento/infEvento").or_else(|| r.child("infEvento"));
        inf?.text_at("tpEvento")
    };
    if service.op == Op::Event
        && let Some(kind) = root.and_then(kind)
    {
        peek.operation = event::operation(service.family, &kind);
        peek.aliases = vec!["evento".to_owned(), format!("evento:{kind}")];
    }
    let documents = root.into_iter().flat_map(issuers);
    peek.documents.extend(documents);
    peek
}

/// Documents that a request is about.
fn issuers(root: &Element) -> Vec<String> {
    let places = match root.name.as_str() {
        "enviNFe" => "NFe/infNFe/emit",
        "envEvento" => "evento/infEvento",
        "inutNFe" => "infInut",
        "ConsCad" => "infCons",
        "CTe" => "infCte/emit",
        "MDFe" => "infMDFe/emit",
        "eventoCTe" | "eventoMDFe" => "infEvento",
        "distDFeInt" | "consMDFeNaoEnc" => "",
        "consSitNFe" | "consSitCTe" | "consSitMDFe" => {
            let key = ["chNFe", "chCTe", "chMDFe"]
                .into_iter()
                .find_map(|name| root.text_at(name))
                .unwrap_or_default();
            return chave::split(&key)
                .map(|c| c.document().to_owned())
                .into_iter()
                .collect();
        }
        _ => return Vec::new(),
    };
    let element = if places.is_empty() {
        Some(root)
    } else {
        root.at(places)
    };
    let found = document::document(element);
    if found.is_empty() {
        Vec::new()
    } else {
        vec![found]
    }
}

/// Processes one request.
pub(crate) fn process(call: &mut Call<'_>, route: Route) -> Outcome {
    let Some(service) = route.0 else {
        return not_found().into();
    };
    let place = Place { service };
    let caller = match author::sender(call) {
        Ok(caller) => caller,
        Err(SenderProblem::Http(answer)) => return answer.into(),
        Err(SenderProblem::Refusal(refusal)) => return refuse_all(call, place, &refusal).into(),
    };
    let message = match soap::open(call.req, service) {
        Ok(message) => message,
        Err(Problem::Http(answer)) => return answer.into(),
        Err(Problem::Refusal(refusal)) => return refuse_all(call, place, &refusal).into(),
    };
    if let Err(refusal) = structure::check(place, &message.root, &message.text) {
        return refuse_all(call, place, &refusal).into();
    }
    let incoming = Incoming {
        place,
        message: &message,
        caller,
    };
    if !service.family.is_nfe() {
        return freight::process(call, &incoming);
    }
    match service.op {
        // MDF-e alone has it.
        Op::Open => not_found().into(),
        Op::Authorize => authorize::batch(call, &incoming),
        Op::Receipt => authorize::receipt(call, &incoming).into(),
        Op::Query => query::protocol(call, &incoming).into(),
        Op::Status => query::status(call, &incoming).into(),
        Op::Event => event::batch(call, &incoming),
        Op::Void => void::range(call, &incoming),
        Op::Register => taxpayers::query(call, &incoming).into(),
        Op::Distribute => distribute::interest(call, &incoming).into(),
    }
}

/// One request being processed.
struct Incoming<'m> {
    place: Place,
    message: &'m Extracted,
    /// Whose transmission certificate.
    caller: crate::pki::Holder,
}

impl Incoming<'_> {
    fn root(&self) -> &Element {
        &self.message.root
    }

    fn t(&self, path: &str) -> String {
        self.root().text_at(path).unwrap_or_default()
    }

    fn answer(&self, call: &Call<'_>, document: &str) -> Answer {
        soap::answer(call.req, self.place.service, document)
    }

    fn refuse(&self, call: &Call<'_>, refusal: &Refusal) -> Answer {
        let document = answer::general_refusal(call, self.place, refusal, &about(self.root()));
        self.answer(call, &document)
    }
}

/// What a refusal repeats from a request.
fn about(root: &Element) -> About {
    let t = |path: &str| root.text_at(path).unwrap_or_default();
    let who = ["IE", "CNPJ", "CPF"].iter().find_map(|name| {
        let value = root.text_at(&format!("infCons/{name}"))?;
        let plain = (8..=14).contains(&value.len())
            && value
                .bytes()
                .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        plain.then(|| format!("<{name}>{value}</{name}>"))
    });
    let chave = t("chNFe");
    let cuf = [
        t("cUF"),
        t("infInut/cUF"),
        t("NFe/infNFe/ide/cUF"),
        t("infCte/ide/cUF"),
        t("infMDFe/ide/cUF"),
        t("infEvento/cOrgao"),
        ["chCTe", "chMDFe"]
            .iter()
            .find_map(|name| t(name).get(..2).map(str::to_owned))
            .unwrap_or_default(),
        chave.get(..2).unwrap_or_default().to_owned(),
        crate::documents::code_of(&t("infCons/UF"))
            .unwrap_or_default()
            .to_owned(),
    ]
    .into_iter()
    .find(|c| crate::documents::abbreviation_of(c).is_some())
    .unwrap_or_default();
    About {
        cuf,
        chave,
        receipt: t("nRec"),
        batch: t("idLote"),
        who: who.unwrap_or_default(),
        nsu: (0, 0),
    }
}

/// A refusal of the whole request, when its document may be unreadable.
fn refuse_all(call: &Call<'_>, place: Place, refusal: &Refusal) -> Answer {
    let about = soap::open(call.req, place.service)
        .map(|m| about(&m.root))
        .unwrap_or_default();
    let document = answer::general_refusal(call, place, refusal, &about);
    soap::answer(call.req, place.service, &document)
}

fn not_found() -> Answer {
    Answer::new(
        404,
        "text/html",
        "<html><head><title>404 - File or directory not found.</title></head></html>",
    )
}

/// Refusal that a fault orders: of the document in it where there is one, of
/// the request otherwise.
pub(crate) fn refuse(call: &Call<'_>, route: Route, code: &str, text: Option<&str>) -> Answer {
    let Some(service) = route.0 else {
        return not_found();
    };
    let place = Place { service };
    let refusal = Refusal {
        text: text.map(str::to_owned),
        ..Refusal::from(code)
    };
    // A paused service and throttling are answers about the request.
    let whole = matches!(code, "108" | "109" | "113" | "114" | "280" | "281")
        || code == service.family.undue_use;
    let Ok(message) = soap::open(call.req, service) else {
        return refuse_all(call, place, &refusal);
    };
    let document = match service.op {
        Op::Authorize if !whole && !service.family.is_nfe() => {
            freight::ordered(call, place, &message, &refusal)
        }
        Op::Authorize if !whole => authorize::ordered(call, place, &message, &refusal),
        Op::Event if !whole => event::ordered(call, place, &message, &refusal),
        _ => None,
    };
    match document {
        Some(document) => soap::answer(call.req, service, &document),
        None => refuse_all(call, place, &refusal),
    }
}

/// The service's own internal error.
pub(crate) fn internal_error(call: &Call<'_>) -> Answer {
    soap::fault(call.req, "Internal error of the service")
}

/// What it answers to a certificate that expired.
pub(crate) fn expired(call: &Call<'_>, route: Route) -> Answer {
    refuse(call, route, "281", None)
}
