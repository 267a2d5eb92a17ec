//! NFeAutorizacao4 and NFeRetAutorizacao4.

use std::collections::BTreeMap;

use super::cstat::Refusal;
use super::family::NFE;
use super::soap::Extracted;
use super::{Incoming, NS, SYSTEM};
use crate::engine::Outcome;
use crate::notes::{Nota, Record, Status};
use crate::request::Answer;
use crate::sefaz::answer::{
    Place, Protocol, VERSION, local_time, protocol, receipt as numero_do_recibo,
};
use crate::sefaz::author::{same_company, signer};
use crate::sefaz::document::Dfe;
use crate::sefaz::memory::{self, Call, Receipt, Record as Novo};
use crate::sefaz::rules;
use crate::xml::Element;

/// A batch is worked on for this long.
const BATCH_MS: i64 = 800;
/// Most notes of a batch.
const MAX_NOTAS: usize = 50;

/// NFeAutorizacao4.
pub(super) fn batch(call: &mut Call<'_>, incoming: &Incoming<'_>) -> Outcome {
    match accept(call, incoming) {
        Ok(outcome) => outcome,
        Err(Ok(refusal)) => incoming.refuse(call, &refusal).into(),
        Err(Err(answer)) => answer.into(),
    }
}

fn accept(
    call: &mut Call<'_>,
    incoming: &Incoming<'_>,
) -> Result<Outcome, Result<Refusal, Answer>> {
    let refuse = |code: &str| Err(Ok(Refusal::from(code)));
    let notas: Vec<&Element> = notes(incoming.root());
    if notas.is_empty() || notas.len() > MAX_NOTAS {
        return refuse("225");
    }
    let synchronous = incoming.t("indSinc") == "1";
    // NT 2025.001: one note is answered at once, more than one are not.
    match (synchronous, notas.len()) {
        (true, 2..) => return refuse("764"),
        (false, 1) => return refuse("452"),
        _ => {}
    }
    let mut read = Vec::with_capacity(notas.len());
    for element in notas {
        match Dfe::from(&NFE, &incoming.message.text, element) {
            Some(nfe) => read.push(nfe),
            None => return refuse("225"),
        }
    }
    if let Some(first) = read.first() {
        if read.iter().any(|n| n.model() != first.model()) {
            return refuse("765");
        }
        let base = |n: &Dfe| n.emitter().get(..8).map(str::to_owned);
        if read.iter().any(|n| base(n) != base(first)) {
            return refuse("560");
        }
        if read.iter().any(|n| n.t("ide/cUF") != first.t("ide/cUF")) {
            return refuse("476");
        }
    }
    let cuf = read.first().map(|n| n.t("ide/cUF")).unwrap_or_default();
    let receipt = numero_do_recibo(call, &cuf);
    // What waits in a queue is there already, but cannot be seen before.
    let wait = match (call.queue_ms, synchronous) {
        (Some(ms), _) => Some(ms),
        (None, false) => Some(BATCH_MS),
        (None, true) => None,
    };
    let ready_ms = call.now_ms.saturating_add(wait.unwrap_or(0));
    let mut protocols = String::new();
    let mut again = String::new();
    for nfe in &read {
        let sent = Sent {
            dfe: nfe,
            receipt: &receipt,
            ready_ms,
        };
        let judged = judge(call, incoming, &sent, rules::nota).map_err(Err)?;
        protocols.push_str(&judged.0);
        again.push_str(&judged.1);
    }
    let place = incoming.place;
    if wait.is_some() {
        call.keep(Novo::Recibo(Receipt {
            numero: receipt.clone(),
            local: place.local().to_owned(),
            cnpj: read.first().map(Dfe::emitter).unwrap_or_default(),
            pronto_ms: ready_ms,
            protocolos: protocols,
        }))
        .map_err(Err)?;
        let inside = format!("<infRec><nRec>{receipt}</nRec><tMed>1</tMed></infRec>");
        let answer = incoming.answer(call, &returned(call, place, &cuf, "103", &inside));
        return Ok(Outcome {
            answer,
            if_duplicate: None,
            tells_queue: true,
        });
    }
    Ok(Outcome {
        answer: incoming.answer(call, &returned(call, place, &cuf, "104", &protocols)),
        if_duplicate: Some(incoming.answer(call, &returned(call, place, &cuf, "104", &again))),
        tells_queue: false,
    })
}

/// One document that was sent.
pub(super) struct Sent<'a> {
    pub dfe: &'a Dfe,
    /// Receipt of its batch; CT-e and MDF-e have none.
    pub receipt: &'a str,
    /// From when on it can be seen.
    pub ready_ms: i64,
}

/// Judges a document whose signature holds: its `cStat`, or the refusal.
pub(super) type Rules = fn(&Call<'_>, Place, &Dfe) -> Result<&'static str, Refusal>;

fn notes(root: &Element) -> Vec<&Element> {
    root.elements().filter(|e| e.name == "NFe").collect()
}

fn returned(call: &Call<'_>, place: Place, cuf: &str, code: &str, inside: &str) -> String {
    format!(
        "<retEnviNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><cStat>{code}</cStat>\
         <xMotivo>{}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{}</dhRecbto>{inside}</retEnviNFe>",
        place.tp_amb(),
        place.text(code),
        local_time(call.now_ms, cuf),
    )
}

/// Judges one document and records it when it is authorized. Answers its
/// protocol and the one of the same document sent once more.
pub(super) fn judge(
    call: &mut Call<'_>,
    incoming: &Incoming<'_>,
    sent: &Sent<'_>,
    rules: Rules,
) -> Result<(String, String), Answer> {
    let (nfe, receipt, ready_ms) = (sent.dfe, sent.receipt, sent.ready_ms);
    let place = incoming.place;
    let chave = nfe.chave();
    let cuf = nfe.t("ide/cUF");
    let digest = nfe
        .root
        .text_at("Signature/SignedInfo/Reference/DigestValue")
        .unwrap_or_default();
    let verdict = same_company(&incoming.caller, &nfe.emitter())
        .and_then(|()| signer(call, &nfe.root, nfe.inf()))
        .and_then(|holder| same_company(&holder, &nfe.emitter()).map(|()| holder))
        .and_then(|_| rules(call, place, nfe));
    if let Some(parts) = super::chave::split(&chave) {
        call.notes.attempt(crate::notes::note_id(
            SYSTEM,
            place.local(),
            &nfe.emitter(),
            &super::chave::natural(&parts),
        ));
    }
    let refused = |call: &Call<'_>, refusal: &Refusal| {
        Protocol {
            place,
            chave: if super::chave::split(&chave).is_some() {
                &chave
            } else {
                ZERO_KEY
            },
            dh: local_time(call.now_ms, &cuf),
            protocol: None,
            digest: Some(&digest).filter(|d| d.len() == 28).map(String::as_str),
            code: &refusal.code,
            reason: place.reason(refusal),
        }
        .xml()
    };
    let code = match verdict {
        Ok(code) => code,
        Err(refusal) => {
            let text = refused(call, &refusal);
            return Ok((text.clone(), text));
        }
    };
    let number = protocol(call, &cuf);
    let prot = Protocol {
        place,
        chave: &chave,
        dh: local_time(ready_ms, &cuf),
        protocol: Some(&number),
        digest: Some(&digest),
        code,
        reason: place.text(code),
    }
    .xml();
    let nota = record_of(
        nfe,
        place,
        &prot,
        &number,
        code,
        receipt,
        (call.now_ms, ready_ms),
    );
    call.record(Record::Nota(Box::new(nota)))?;
    let there = if nfe.family.is_nfe() {
        format!(" [nRec:{receipt}]")
    } else {
        format!(" [nProt:{number}][dhAut:{}]", local_time(ready_ms, &cuf))
    };
    let again = refused(call, &Refusal::with("204", there));
    Ok((prot, again))
}

pub(super) const ZERO_KEY: &str = "00000000000000000000000000000000000000000000";

/// The document as the state keeps it.
pub(super) fn record_of(
    nfe: &Dfe,
    place: Place,
    prot: &str,
    number: &str,
    code: &str,
    receipt: &str,
    (now_ms, ready_ms): (i64, i64),
) -> Nota {
    let chave = nfe.chave();
    let natural = super::chave::split(&chave)
        .map(|p| super::chave::natural(&p))
        .unwrap_or_default();
    let dest = nfe.recipient();
    let interested = nfe.interested();
    let mut parts = vec![nfe.emitter()];
    parts.extend(Some(dest.clone()).filter(|d| !d.is_empty()));
    parts.extend(interested.iter().cloned());
    let data: BTreeMap<String, String> = [
        ("modelo", nfe.model()),
        ("nProt", number.to_owned()),
        ("nRec", receipt.to_owned()),
        ("cStat", code.to_owned()),
        ("prot", prot.to_owned()),
        ("dest", dest),
        ("interessados", interested.join(",")),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    Nota {
        sistema: SYSTEM.to_owned(),
        local: place.local().to_owned(),
        prestador: nfe.emitter(),
        chave_natural: natural,
        numero: nfe.number(),
        chave: Some(chave),
        codigo_verificacao: None,
        situacao: Status::Normal,
        emitida_ms: now_ms,
        disponivel_ms: ready_ms,
        partes: parts,
        xml: nfe.text.clone(),
        dados: data,
    }
}

/// NFeRetAutorizacao4: 105 while the batch is worked on, then its result.
pub(super) fn receipt(call: &Call<'_>, incoming: &Incoming<'_>) -> Answer {
    let place = incoming.place;
    if incoming.t("tpAmb") != place.tp_amb() {
        return incoming.refuse(call, &"252".into());
    }
    let number = incoming.t("nRec");
    let Some(found) = memory::receipt(call.store(), &number).filter(|r| r.local == place.local())
    else {
        return incoming.refuse(call, &"106".into());
    };
    if crate::sefaz::author::same_company(&incoming.caller, &found.cnpj).is_err() {
        return incoming.refuse(call, &"223".into());
    }
    let (code, inside) = if found.pronto_ms > call.now_ms {
        ("105", "")
    } else {
        ("104", found.protocolos.as_str())
    };
    let cuf = number.get(..2).unwrap_or_default();
    let document = format!(
        "<retConsReciNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><verAplic>{VERSION}</verAplic><nRec>{number}</nRec>\
         <cStat>{code}</cStat><xMotivo>{}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{}</dhRecbto>{inside}</retConsReciNFe>",
        place.tp_amb(),
        place.text(code),
        local_time(call.now_ms, cuf),
    );
    incoming.answer(call, &document)
}

/// The refusal of every note of a batch, as a fault orders it.
pub(super) fn ordered(
    call: &Call<'_>,
    place: Place,
    message: &Extracted,
    refusal: &Refusal,
) -> Option<String> {
    let notas = notes(&message.root);
    let cuf = notas.first()?.text_at("infNFe/ide/cUF")?;
    let inside: String = notas
        .iter()
        .take(1)
        .filter_map(|e| Dfe::from(&NFE, &message.text, e))
        .map(|nfe| {
            Protocol {
                place,
                chave: &nfe.chave(),
                dh: local_time(call.now_ms, &cuf),
                protocol: None,
                digest: None,
                code: &refusal.code,
                reason: place.reason(refusal),
            }
            .xml()
        })
        .collect();
    Some(returned(call, place, &cuf, "104", &inside))
}
