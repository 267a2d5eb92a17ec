//! Events of a note: cancelling, replacing and the parties' manifestations.

use serde_json::json;

use super::answer::{VERSION, envelope, refuse_one};
use super::codes::Refusal;
use super::dps::{Dps, NS, uses_prefix};
use super::signed::{Signed, read, signer};
use super::{Ambiente, package};
use crate::clock;
use crate::documents::same_holder;
use crate::engine::{Call, Outcome};
use crate::nfse::layout::{self, NACIONAL};
use crate::notes::{Event, Nota, Record, Status};
use crate::pki::Holder;
use crate::request::Answer;
use crate::xml::signature;
use crate::xml::{Element, escape, parse};

/// Events a contributor may ask for and who may: provider, customer or
/// intermediary. The others belong to the tax office or to the system.
const TYPES: [(&str, Author); 8] = [
    ("101101", Author::Provider),
    ("101103", Author::Provider),
    ("202201", Author::Provider),
    ("202205", Author::Provider),
    ("203202", Author::Party),
    ("203206", Author::Party),
    ("204203", Author::Party),
    ("204207", Author::Party),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Author {
    Provider,
    Party,
}

/// Operation name of an event request, for faults and counters.
pub(super) fn operation(body: &[u8]) -> &'static str {
    let cancels = package::open(body, "pedidoRegistroEventoXmlGZipB64")
        .ok()
        .and_then(|xml| parse(&xml).ok())
        .is_some_and(|root| root.find("e101101").is_some());
    if cancels { "cancelar" } else { "evento" }
}

/// POST /nfse/{chave}/eventos; `given` as in `note::issue`.
pub(super) fn register(
    call: &mut Call<'_>,
    ambiente: Ambiente,
    chave: &str,
    given: Option<Signed>,
) -> Outcome {
    match accept(call, ambiente, chave, given) {
        Ok(outcome) => outcome,
        Err(Ok(refusal)) => refuse_one(call, ambiente, 400, chave, &refusal).into(),
        Err(Err(answer)) => answer.into(),
    }
}

fn accept(
    call: &mut Call<'_>,
    ambiente: Ambiente,
    chave: &str,
    given: Option<Signed>,
) -> Result<Outcome, Result<Refusal, Answer>> {
    let refuse = |code: &str| Err(Ok(Refusal::from(code)));
    let (xml, known) = opened(call, given).map_err(|code| Ok(code.into()))?;
    let root = request(&xml).map_err(Ok)?;
    let Some(inf) = root.child("infPedReg") else {
        return refuse("E1235");
    };
    let Some(kind) = inf
        .elements()
        .find_map(|e| e.name.strip_prefix('e').filter(|t| t.len() == 6))
    else {
        return refuse("E1235");
    };
    let author = inf
        .text_at("CNPJAutor")
        .or_else(|| inf.text_at("CPFAutor"))
        .unwrap_or_default();
    let signer = known.map_or_else(|| signer(call, &root, inf), Ok);
    let signer = signer.map_err(|code| Ok(code.into()))?;
    if !same_holder(&signer.document, &author) {
        return refuse("E0718");
    }
    if inf.text_at("tpAmb") != Some(ambiente.code().to_string()) {
        return refuse("E0006");
    }
    if inf.text_at("chNFSe").as_deref() != Some(chave) {
        return refuse("E0806");
    }
    if inf.attr("Id") != Some(format!("PRE{chave}{kind}").as_str()) {
        return refuse("E0004");
    }
    let Some((_, who)) = TYPES.iter().find(|(t, _)| *t == kind) else {
        return refuse("E0816");
    };
    let Some(nota) = call
        .notes
        .note_by_key(chave)
        .filter(|n| n.local == ambiente.name() && n.disponivel_ms <= call.now_ms)
    else {
        return refuse("E0802");
    };
    let provider = same_holder(&nota.prestador, &author);
    let party = nota.partes.iter().any(|p| same_holder(p, &author));
    if !(provider || *who == Author::Party && party) {
        return refuse("E0812");
    }
    call.notes.attempt(format!("{}|evento|{kind}", nota.id()));
    let again = call.notes.events_of(chave).iter().any(|e| e.tipo == kind);
    if again || nota.situacao != Status::Normal {
        return refuse("E0840");
    }
    let age = call.now_ms.saturating_sub(nota.emitida_ms);
    if kind == "101101" && age > call.cancel_days.saturating_mul(clock::DAY_MS) {
        return refuse("E0822");
    }

    let source = root.source(&xml).to_owned();
    let event_kind = kind.to_owned();
    let packed = record(call, &nota, &event_kind, &source).map_err(Err)?;
    if event_kind == "101101" {
        call.record(Record::Situacao {
            id: nota.id(),
            situacao: Status::Cancelada,
            dados: [("cancelada_em".to_owned(), clock::date_time(call.now_ms))].into(),
        })
        .map_err(Err)?;
    }
    Ok(registered(call, ambiente, chave, &packed))
}

/// The document asked with, and its signer where that is known.
fn opened(
    call: &Call<'_>,
    given: Option<Signed>,
) -> Result<(String, Option<Holder>), &'static str> {
    match given {
        Some(Signed { xml, signer }) => Ok((xml, Some(signer))),
        None => {
            package::open(&call.req.body, "pedidoRegistroEventoXmlGZipB64").map(|xml| (xml, None))
        }
    }
}

/// The request for an event, when it has the form of the layout.
fn request(xml: &str) -> Result<Element, Refusal> {
    let root = read(xml)?;
    if root.name != "pedRegEvento" {
        return Err("E1242".into());
    }
    if uses_prefix(&root) {
        return Err("E1228".into());
    }
    layout::check(&NACIONAL, &[("", NS)], &root)
        .map_err(|v| Refusal::with("E1235", v.to_string()))?;
    Ok(root)
}

/// The answer to a registered event.
fn registered(call: &Call<'_>, ambiente: Ambiente, chave: &str, packed: &str) -> Outcome {
    let mut body = envelope(call, ambiente);
    body.insert("eventoXmlGZipB64".into(), json!(packed));
    let again = refuse_one(call, ambiente, 400, chave, &"E0840".into());
    Outcome {
        answer: Answer::json(201, &serde_json::Value::Object(body)),
        if_duplicate: Some(again),
        tells_queue: false,
    }
}

/// Marks the old note as replaced and raises e105102, as the system does when
/// it issues the new one.
pub(super) fn replace(
    call: &mut Call<'_>,
    ambiente: Ambiente,
    old: &Nota,
    new_key: &str,
    dps: &Dps<'_>,
) -> Result<(), Answer> {
    let key = old.chave.clone().unwrap_or_default();
    let author = dps.provider();
    let author_tag = if author.len() == 14 {
        "CNPJAutor"
    } else {
        "CPFAutor"
    };
    let reason = dps
        .text("subst/xMotivo")
        .map(|r| format!("<xMotivo>{}</xMotivo>", escape(&r)))
        .unwrap_or_default();
    let request = format!(
        "<pedRegEvento xmlns=\"{NS}\" versao=\"1.01\"><infPedReg Id=\"PRE{key}105102\">\
         <tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><dhEvento>{}</dhEvento>\
         <{author_tag}>{author}</{author_tag}><chNFSe>{key}</chNFSe><e105102>\
         <xDesc>Cancelamento de NFS-e por Substituição</xDesc><cMotivo>{}</cMotivo>{reason}\
         <chSubstituta>{new_key}</chSubstituta></e105102></infPedReg></pedRegEvento>",
        ambiente.code(),
        clock::date_time(call.now_ms),
        dps.get("subst/cMotivo"),
    );
    record(call, old, "105102", &request)?;
    call.record(Record::Situacao {
        id: old.id(),
        situacao: Status::Substituida,
        dados: [("substituida_por".to_owned(), new_key.to_owned())].into(),
    })
}

/// Signs and stores an event; answers it packed.
fn record(call: &mut Call<'_>, nota: &Nota, kind: &str, request: &str) -> Result<String, Answer> {
    let chave = nota.chave.clone().unwrap_or_default();
    let number = call.notes.documents() + 1;
    let unsigned = format!(
        "<evento xmlns=\"{NS}\" versao=\"1.01\"><infEvento Id=\"EVT{chave}{kind}001\">\
         <verAplic>{VERSION}</verAplic><ambGer>2</ambGer><nSeqEvento>1</nSeqEvento><dhProc>{}</dhProc>\
         <nDFSe>{number}</nDFSe>{request}</infEvento></evento>",
        clock::date_time(call.now_ms),
    );
    let signed = signature::sign(&unsigned, "infEvento", call.pki.authority())
        .ok_or_else(|| Answer::new(500, "text/plain", ""))?;
    let xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{signed}");
    let packed = package::pack(&xml);
    call.record(Record::Evento(Box::new(Event {
        chave,
        tipo: kind.to_owned(),
        sequencia: 1,
        registrado_ms: call.now_ms,
        xml,
        sistema: String::new(),
        dados: std::collections::BTreeMap::new(),
    })))?;
    Ok(packed)
}
