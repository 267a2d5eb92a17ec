//! NFeDistribuicaoDFe of the national environment.
//!
//! Source: MOC 7.0, section 5.7; NT 2014.002 (limits of use, second-hand).

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::cstat::Refusal;
use super::family::NFE;
use super::{About, Incoming, NS, SYSTEM, chave};
use crate::clock::{self, HOUR_MS};
use crate::documents::{abbreviation_of, cnpj_ok, cpf_ok, same_holder};
use crate::notes::{Event, Nota, Status};
use crate::request::Answer;
use crate::sefaz::answer::{VERSION, general_refusal, joined, local_time};
use crate::sefaz::document::{Dfe, document};
use crate::sefaz::memory::{Call, MANIFESTED};
use crate::sefaz::queues::{self, Doc, KEEP_MS};
use crate::xml::{escape, parse};

/// Documents of one answer.
const MAX_DOCS: usize = 50;
/// `consNSU` and `consChNFe` within an hour.
const MAX_SINGLE: usize = 20;

/// What the request asks for.
enum Question {
    Since(u64),
    One(u64),
    Chave(String),
}

pub(super) fn interest(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Answer {
    let who = document(Some(incoming.root()));
    let local = incoming.place.local();
    let question = match form(call, incoming, &who) {
        Ok(question) => question,
        Err(refusal) => return refuse(call, incoming, &who, 0, &refusal),
    };
    let last = match question {
        Question::Since(n) => n,
        _ => 0,
    };
    if misuse(call, local, &who, &question) {
        return refuse(call, incoming, &who, last, &"656".into());
    }
    let found = match &question {
        Question::Since(n) => since(call, local, &who, *n),
        Question::One(n) => one(call, local, &who, *n),
        Question::Chave(key) => by_key(call, local, &who, key),
    };
    match found {
        Err(refusal) => refuse(call, incoming, &who, last, &refusal),
        Ok(docs) => {
            if docs.is_empty() && matches!(question, Question::Since(_)) {
                let until = call.now_ms.saturating_add(HOUR_MS);
                call.memory.consumption(local, &who).wait_until_ms = until;
            }
            call.memory.distributed += docs.len() as u64;
            answer(call, incoming, &who, &question, &docs)
        }
    }
}

fn form(call: &Call<'_>, incoming: &Incoming<'_>, who: &str) -> Result<Question, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    if incoming.t("tpAmb") != incoming.place.tp_amb() {
        return refuse("252");
    }
    if who.len() == 11 {
        if !cpf_ok(who) {
            return refuse("490");
        }
        if incoming.caller.document != who {
            return refuse("472");
        }
    } else {
        if !cnpj_ok(who) {
            return refuse("489");
        }
        if !same_holder(&incoming.caller.document, who) {
            return refuse("593");
        }
    }
    let author = incoming.t("cUFAutor");
    if !author.is_empty() && abbreviation_of(&author).is_none() {
        return refuse("215");
    }
    let nsu = |path: &str| -> Result<u64, Refusal> {
        let n = incoming.t(path).parse().map_err(|_| Refusal::from("215"))?;
        let max = queues::greatest(call.store(), incoming.place.local(), who, call.now_ms);
        if n > max { Err("589".into()) } else { Ok(n) }
    };
    let root = incoming.root();
    if root.child("distNSU").is_some() {
        Ok(Question::Since(nsu("distNSU/ultNSU")?))
    } else if root.child("consNSU").is_some() {
        Ok(Question::One(nsu("consNSU/NSU")?))
    } else {
        let key = incoming.t("consChNFe/chNFe");
        let parts = chave::check(&key, &NFE, clock::year(call.now_ms))?;
        if parts.model != "55" {
            return refuse("618");
        }
        Ok(Question::Chave(key))
    }
}

/// True when the party asks too often; that itself blocks it for an hour.
fn misuse(call: &mut Call<'_>, local: &str, who: &str, question: &Question) -> bool {
    let now = call.now_ms;
    let use_ = call.memory.consumption(local, who);
    use_.single_ms
        .retain(|at| now.saturating_sub(*at) < HOUR_MS);
    let too_often = match question {
        Question::Since(_) => now < use_.wait_until_ms,
        _ => use_.single_ms.len() >= MAX_SINGLE,
    };
    if now < use_.blocked_until_ms || too_often {
        use_.blocked_until_ms = now.saturating_add(HOUR_MS);
        return true;
    }
    if !matches!(question, Question::Since(_)) {
        use_.single_ms.push(now);
    }
    false
}

/// NSU (0: none), name of the schema, document.
type Found = (u64, &'static str, String);

fn since(call: &Call<'_>, local: &str, who: &str, last: u64) -> Result<Vec<Found>, Refusal> {
    let docs = queues::after(call.store(), local, who, last, call.now_ms, MAX_DOCS);
    Ok(docs
        .into_iter()
        .filter_map(|(n, doc)| written(call, &doc).map(|(schema, xml)| (n, schema, xml)))
        .collect())
}

fn one(call: &Call<'_>, local: &str, who: &str, nsu: u64) -> Result<Vec<Found>, Refusal> {
    let Some(before) = nsu.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let found = queues::after(call.store(), local, who, before, call.now_ms, 1);
    Ok(found
        .into_iter()
        .filter(|(n, _)| *n == nsu)
        .filter_map(|(n, doc)| written(call, &doc).map(|(s, x)| (n, s, x)))
        .collect())
}

fn by_key(call: &Call<'_>, local: &str, who: &str, key: &str) -> Result<Vec<Found>, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let nota = call
        .notes
        .note_by_key(key)
        .filter(|n| n.sistema == SYSTEM && n.local == local && n.disponivel_ms <= call.now_ms);
    let Some(nota) = nota else {
        return refuse("217");
    };
    if call.now_ms.saturating_sub(nota.emitida_ms) > KEEP_MS {
        return refuse("632");
    }
    let dest = nota.dados.get("dest").map_or("", String::as_str);
    if same_holder(who, &nota.prestador) && !same_holder(who, dest) {
        return refuse("641");
    }
    if !nota.partes.iter().any(|p| same_holder(p, who)) {
        return refuse("640");
    }
    if nota.situacao != Status::Normal {
        return refuse("653");
    }
    let opened = !same_holder(who, dest) || nota.dados.contains_key(MANIFESTED);
    let doc = if opened {
        Doc::Nota(key.to_owned())
    } else {
        Doc::NotaSummary(key.to_owned())
    };
    let nsu = queues::nsu_of(call.store(), local, who, &doc);
    Ok(written(call, &doc)
        .map(|(s, x)| (nsu, s, x))
        .into_iter()
        .collect())
}

/// Schema name and text of a document.
fn written(call: &Call<'_>, doc: &Doc) -> Option<(&'static str, String)> {
    let event = |key: &str, kind: &str, n: u32| {
        call.notes
            .events_of(key)
            .into_iter()
            .find(|e| e.sistema == SYSTEM && e.tipo == kind && e.sequencia == n)
    };
    match doc {
        Doc::Nota(key) => Some(("procNFe_v4.00.xsd", joined(&call.notes.note_by_key(key)?))),
        Doc::NotaSummary(key) => {
            Some(("resNFe_v1.01.xsd", res_nfe(&call.notes.note_by_key(key)?)?))
        }
        Doc::Event(key, kind, n) => Some(("procEventoNFe_v1.00.xsd", event(key, kind, *n)?.xml)),
        Doc::EventSummary(key, kind, n) => {
            Some(("resEvento_v1.01.xsd", event_summary(&event(key, kind, *n)?)))
        }
    }
}

fn res_nfe(nota: &Nota) -> Option<String> {
    let nfe = Dfe::note(String::new(), parse(&nota.xml).ok()?);
    let issuer = tag(&nota.prestador);
    let digest = nfe
        .root
        .text_at("Signature/SignedInfo/Reference/DigestValue")?;
    let situation = if nota.situacao == Status::Normal {
        1
    } else {
        3
    };
    let prot = nota.dados.get("prot").map_or("", String::as_str);
    let received = parse(prot).ok()?.text_at("infProt/dhRecbto")?;
    Some(format!(
        "<resNFe xmlns=\"{NS}\" versao=\"1.01\"><chNFe>{}</chNFe>{issuer}<xNome>{}</xNome><IE>{}</IE><dhEmi>{}</dhEmi><tpNF>{}</tpNF>\
         <vNF>{}</vNF><digVal>{digest}</digVal><dhRecbto>{received}</dhRecbto><nProt>{}</nProt><cSitNFe>{situation}</cSitNFe></resNFe>",
        nfe.chave(),
        escape(&nfe.t("emit/xNome")),
        nfe.t("emit/IE"),
        nfe.t("ide/dhEmi"),
        nfe.t("ide/tpNF"),
        nfe.t("total/ICMSTot/vNF"),
        nota.dados.get("nProt").map_or("", String::as_str),
    ))
}

fn event_summary(event: &Event) -> String {
    let detail = |name: &str| event.dados.get(name).map_or("", String::as_str);
    let organ = detail("orgao");
    format!(
        "<resEvento xmlns=\"{NS}\" versao=\"1.01\"><cOrgao>{organ}</cOrgao>{}<chNFe>{}</chNFe><dhEvento>{}</dhEvento>\
         <tpEvento>{}</tpEvento><nSeqEvento>{}</nSeqEvento><xEvento>{}</xEvento><dhRecbto>{}</dhRecbto><nProt>{}</nProt></resEvento>",
        tag(detail("autor")),
        event.chave,
        detail("dhEvento"),
        event.tipo,
        event.sequencia,
        escape(detail("xEvento")),
        local_time(event.registrado_ms, organ),
        detail("nProt"),
    )
}

fn tag(document: &str) -> String {
    if document.len() == 14 {
        format!("<CNPJ>{document}</CNPJ>")
    } else {
        format!("<CPF>{document}</CPF>")
    }
}

fn answer(
    call: &Call<'_>,
    incoming: &Incoming<'_>,
    who: &str,
    question: &Question,
    docs: &[Found],
) -> Answer {
    let place = incoming.place;
    let max = queues::greatest(call.store(), place.local(), who, call.now_ms);
    let last = match question {
        Question::Since(asked) => docs.last().map_or(max.max(*asked), |(n, _, _)| *n),
        _ => docs.last().map_or(0, |(n, _, _)| *n),
    };
    let code = if docs.is_empty() { "137" } else { "138" };
    let zipped: String = docs
        .iter()
        .map(|(n, schema, xml)| {
            format!(
                "<docZip NSU=\"{n:015}\" schema=\"{schema}\">{}</docZip>",
                zip(xml)
            )
        })
        .collect();
    let batch = if docs.is_empty() {
        String::new()
    } else {
        format!("<loteDistDFeInt>{zipped}</loteDistDFeInt>")
    };
    let document = format!(
        "<retDistDFeInt xmlns=\"{NS}\" versao=\"1.01\"><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat><xMotivo>{}</xMotivo>\
         <dhResp>{}</dhResp><ultNSU>{last:015}</ultNSU><maxNSU>{max:015}</maxNSU>{batch}</retDistDFeInt>",
        place.tp_amb(),
        place.text(code),
        local_time(call.now_ms, place.cuf()),
    );
    incoming.answer(call, &document)
}

fn zip(xml: &str) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let written = encoder
        .write_all(xml.as_bytes())
        .and_then(|()| encoder.finish());
    STANDARD.encode(written.unwrap_or_default())
}

/// Refusals carry the last NSU (since 1.14 of the NT also under 656).
fn refuse(
    call: &Call<'_>,
    incoming: &Incoming<'_>,
    who: &str,
    last: u64,
    refusal: &Refusal,
) -> Answer {
    let max = queues::greatest(call.store(), incoming.place.local(), who, call.now_ms);
    let about = About {
        nsu: (last, max),
        ..About::default()
    };
    let document = general_refusal(call, incoming.place, refusal, &about);
    incoming.answer(call, &document)
}
