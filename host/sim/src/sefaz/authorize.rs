//! NFeAutorizacao4 and NFeRetAutorizacao4.

use std::collections::BTreeMap;

use super::cstat::Recusa;
use super::soap::Mensagem;
use super::{Incoming, NS, SISTEMA};
use crate::engine::Outcome;
use crate::notes::{Nota, Registro, Situacao};
use crate::request::Answer;
use crate::sefaz::answer::{Lugar, Protocolo, VERSAO, hora, protocolo, recibo as numero_do_recibo};
use crate::sefaz::author::{assinante, same_company};
use crate::sefaz::document::Nfe;
use crate::sefaz::memory::{Call, Recibo, Registro as Novo};
use crate::sefaz::{query, rules};
use crate::xml::Element;

/// A batch is worked on for this long.
const LOTE_MS: i64 = 800;
/// Most notes of a batch.
const MAX_NOTAS: usize = 50;

/// NFeAutorizacao4.
pub(super) fn lote(call: &mut Call<'_>, pedido: &Incoming<'_>) -> Outcome {
    match accept(call, pedido) {
        Ok(outcome) => outcome,
        Err(Ok(recusa)) => pedido.recusar(call, &recusa).into(),
        Err(Err(answer)) => answer.into(),
    }
}

fn accept(call: &mut Call<'_>, pedido: &Incoming<'_>) -> Result<Outcome, Result<Recusa, Answer>> {
    let refuse = |code: &str| Err(Ok(Recusa::from(code)));
    let notas: Vec<&Element> = notes(pedido.raiz());
    if notas.is_empty() || notas.len() > MAX_NOTAS {
        return refuse("225");
    }
    let synchronous = pedido.t("indSinc") == "1";
    // NT 2025.001: one note is answered at once, more than one are not.
    match (synchronous, notas.len()) {
        (true, 2..) => return refuse("764"),
        (false, 1) => return refuse("452"),
        _ => {}
    }
    let mut read = Vec::with_capacity(notas.len());
    for element in notas {
        match Nfe::from(&pedido.mensagem.texto, element) {
            Some(nfe) => read.push(nfe),
            None => return refuse("225"),
        }
    }
    if let Some(first) = read.first() {
        if read.iter().any(|n| n.modelo() != first.modelo()) {
            return refuse("765");
        }
        let base = |n: &Nfe| n.emitente().get(..8).map(str::to_owned);
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
        (None, false) => Some(LOTE_MS),
        (None, true) => None,
    };
    let ready_ms = call.now_ms.saturating_add(wait.unwrap_or(0));
    let mut protocols = String::new();
    let mut again = String::new();
    for nfe in &read {
        let judged = judge(call, pedido, nfe, &receipt, ready_ms).map_err(Err)?;
        protocols.push_str(&judged.0);
        again.push_str(&judged.1);
    }
    let lugar = pedido.lugar;
    if wait.is_some() {
        call.keep(Novo::Recibo(Recibo {
            numero: receipt.clone(),
            local: lugar.local().to_owned(),
            cnpj: read.first().map(Nfe::emitente).unwrap_or_default(),
            pronto_ms: ready_ms,
            protocolos: protocols,
        }))
        .map_err(Err)?;
        let inside = format!("<infRec><nRec>{receipt}</nRec><tMed>1</tMed></infRec>");
        let answer = pedido.responder(call, &returned(call, lugar, &cuf, "103", &inside));
        return Ok(Outcome {
            answer,
            if_duplicate: None,
            tells_queue: true,
        });
    }
    Ok(Outcome {
        answer: pedido.responder(call, &returned(call, lugar, &cuf, "104", &protocols)),
        if_duplicate: Some(pedido.responder(call, &returned(call, lugar, &cuf, "104", &again))),
        tells_queue: false,
    })
}

fn notes(root: &Element) -> Vec<&Element> {
    root.elements().filter(|e| e.name == "NFe").collect()
}

fn returned(call: &Call<'_>, lugar: Lugar, cuf: &str, code: &str, inside: &str) -> String {
    format!(
        "<retEnviNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
         <xMotivo>{}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{}</dhRecbto>{inside}</retEnviNFe>",
        lugar.tp_amb(),
        lugar.texto(code),
        hora(call.now_ms, cuf),
    )
}

/// Judges one note and records it when it is authorized. Answers its
/// `protNFe` and the one of the same note sent once more.
fn judge(
    call: &mut Call<'_>,
    pedido: &Incoming<'_>,
    nfe: &Nfe,
    receipt: &str,
    ready_ms: i64,
) -> Result<(String, String), Answer> {
    let lugar = pedido.lugar;
    let chave = nfe.chave();
    let cuf = nfe.t("ide/cUF");
    let digest = nfe
        .raiz
        .text_at("Signature/SignedInfo/Reference/DigestValue")
        .unwrap_or_default();
    let verdict = same_company(&pedido.caller, &nfe.emitente())
        .and_then(|()| assinante(call, &nfe.raiz, nfe.inf()))
        .and_then(|holder| same_company(&holder, &nfe.emitente()).map(|()| holder))
        .and_then(|_| rules::nota(call, lugar, nfe));
    if let Some(parts) = super::chave::split(&chave) {
        call.notes.attempt(crate::notes::note_id(
            SISTEMA,
            lugar.local(),
            &nfe.emitente(),
            &query::natural(&parts),
        ));
    }
    let refusal = |call: &Call<'_>, recusa: &Recusa| {
        Protocolo {
            lugar,
            chave: if super::chave::split(&chave).is_some() {
                &chave
            } else {
                ZERO_KEY
            },
            dh: hora(call.now_ms, &cuf),
            protocolo: None,
            digest: Some(&digest).filter(|d| d.len() == 28).map(String::as_str),
            codigo: &recusa.codigo,
            motivo: lugar.motivo(recusa),
        }
        .xml()
    };
    let code = match verdict {
        Ok(code) => code,
        Err(recusa) => {
            let text = refusal(call, &recusa);
            return Ok((text.clone(), text));
        }
    };
    let number = protocolo(call, &cuf);
    let prot = Protocolo {
        lugar,
        chave: &chave,
        dh: hora(ready_ms, &cuf),
        protocolo: Some(&number),
        digest: Some(&digest),
        codigo: code,
        motivo: lugar.texto(code),
    }
    .xml();
    let nota = record_of(
        nfe,
        lugar,
        &prot,
        &number,
        code,
        receipt,
        (call.now_ms, ready_ms),
    );
    call.record(Registro::Nota(Box::new(nota)))?;
    let again = refusal(call, &Recusa::com("204", format!(" [nRec:{receipt}]")));
    Ok((prot, again))
}

const ZERO_KEY: &str = "00000000000000000000000000000000000000000000";

/// The note as the state keeps it.
pub(super) fn record_of(
    nfe: &Nfe,
    lugar: Lugar,
    prot: &str,
    number: &str,
    code: &str,
    receipt: &str,
    (now_ms, ready_ms): (i64, i64),
) -> Nota {
    let chave = nfe.chave();
    let natural = super::chave::split(&chave)
        .map(|p| query::natural(&p))
        .unwrap_or_default();
    let dest = nfe.destinatario();
    let interessados = nfe.interessados();
    let mut partes = vec![nfe.emitente()];
    partes.extend(Some(dest.clone()).filter(|d| !d.is_empty()));
    partes.extend(interessados.iter().cloned());
    let dados: BTreeMap<String, String> = [
        ("modelo", nfe.modelo()),
        ("nProt", number.to_owned()),
        ("nRec", receipt.to_owned()),
        ("cStat", code.to_owned()),
        ("prot", prot.to_owned()),
        ("dest", dest),
        ("interessados", interessados.join(",")),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    Nota {
        sistema: SISTEMA.to_owned(),
        local: lugar.local().to_owned(),
        prestador: nfe.emitente(),
        chave_natural: natural,
        numero: nfe.t("ide/nNF").parse().unwrap_or(0),
        chave: Some(chave),
        codigo_verificacao: None,
        situacao: Situacao::Normal,
        emitida_ms: now_ms,
        disponivel_ms: ready_ms,
        partes,
        xml: nfe.texto.clone(),
        dados,
    }
}

/// NFeRetAutorizacao4: 105 while the batch is worked on, then its result.
pub(super) fn recibo(call: &Call<'_>, pedido: &Incoming<'_>) -> Answer {
    let lugar = pedido.lugar;
    if pedido.t("tpAmb") != lugar.tp_amb() {
        return pedido.recusar(call, &"252".into());
    }
    let number = pedido.t("nRec");
    let Some(found) = call
        .memory
        .recibo(&number)
        .filter(|r| r.local == lugar.local())
    else {
        return pedido.recusar(call, &"106".into());
    };
    if crate::sefaz::author::same_company(&pedido.caller, &found.cnpj).is_err() {
        return pedido.recusar(call, &"223".into());
    }
    let (code, inside) = if found.pronto_ms > call.now_ms {
        ("105", "")
    } else {
        ("104", found.protocolos.as_str())
    };
    let cuf = number.get(..2).unwrap_or_default();
    let document = format!(
        "<retConsReciNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic><nRec>{number}</nRec>\
         <cStat>{code}</cStat><xMotivo>{}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{}</dhRecbto>{inside}</retConsReciNFe>",
        lugar.tp_amb(),
        lugar.texto(code),
        hora(call.now_ms, cuf),
    );
    pedido.responder(call, &document)
}

/// The refusal of every note of a batch, as a fault orders it.
pub(super) fn ordered(
    call: &Call<'_>,
    lugar: Lugar,
    mensagem: &Mensagem,
    recusa: &Recusa,
) -> Option<String> {
    let notas = notes(&mensagem.raiz);
    let cuf = notas.first()?.text_at("infNFe/ide/cUF")?;
    let inside: String = notas
        .iter()
        .take(1)
        .filter_map(|e| Nfe::from(&mensagem.texto, e))
        .map(|nfe| {
            Protocolo {
                lugar,
                chave: &nfe.chave(),
                dh: hora(call.now_ms, &cuf),
                protocolo: None,
                digest: None,
                codigo: &recusa.codigo,
                motivo: lugar.motivo(recusa),
            }
            .xml()
        })
        .collect();
    Some(returned(call, lugar, &cuf, "104", &inside))
}
