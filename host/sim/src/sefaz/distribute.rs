//! NFeDistribuicaoDFe of the national environment.
//!
//! Source: MOC 7.0, section 5.7; NT 2014.002 (limits of use, second-hand).

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::cstat::Recusa;
use super::{Incoming, NS, SISTEMA, Sobre, chave};
use crate::clock::{self, DAY_MS, HOUR_MS};
use crate::documents::{cnpj_ok, cpf_ok, same_holder, sigla_of};
use crate::notes::{Evento, Nota, Situacao};
use crate::request::Answer;
use crate::sefaz::answer::{VERSAO, hora, nfe_proc, recusa_geral};
use crate::sefaz::document::{Nfe, document};
use crate::sefaz::memory::{Call, Doc, MANIFESTADA};
use crate::xml::{escape, parse};

/// Documents of one answer.
const MAX_DOCS: usize = 50;
/// `consNSU` and `consChNFe` within an hour.
const MAX_PONTUAIS: usize = 20;
/// Documents are kept for three months.
const GUARDA_MS: i64 = 90 * DAY_MS;

/// What the request asks for.
enum Pergunta {
    Desde(u64),
    Um(u64),
    Chave(String),
}

pub(super) fn interesse(call: &mut Call<'_>, pedido: &Incoming<'_>) -> Answer {
    let who = document(Some(pedido.raiz()));
    let local = pedido.lugar.local();
    let question = match form(call, pedido, &who) {
        Ok(question) => question,
        Err(recusa) => return refuse(call, pedido, &who, 0, &recusa),
    };
    let last = match question {
        Pergunta::Desde(n) => n,
        _ => 0,
    };
    if misuse(call, local, &who, &question) {
        return refuse(call, pedido, &who, last, &"656".into());
    }
    let found = match &question {
        Pergunta::Desde(n) => since(call, local, &who, *n),
        Pergunta::Um(n) => one(call, local, &who, *n),
        Pergunta::Chave(key) => by_key(call, local, &who, key),
    };
    match found {
        Err(recusa) => refuse(call, pedido, &who, last, &recusa),
        Ok(docs) => {
            if docs.is_empty() && matches!(question, Pergunta::Desde(_)) {
                let until = call.now_ms.saturating_add(HOUR_MS);
                call.memory.consumo(local, &who).espera_ate_ms = until;
            }
            call.memory.distribuidos += docs.len() as u64;
            answer(call, pedido, &who, &question, &docs)
        }
    }
}

fn form(call: &Call<'_>, pedido: &Incoming<'_>, who: &str) -> Result<Pergunta, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    if pedido.t("tpAmb") != pedido.lugar.tp_amb() {
        return refuse("252");
    }
    if who.len() == 11 {
        if !cpf_ok(who) {
            return refuse("490");
        }
        if pedido.caller.documento != who {
            return refuse("472");
        }
    } else {
        if !cnpj_ok(who) {
            return refuse("489");
        }
        if !same_holder(&pedido.caller.documento, who) {
            return refuse("593");
        }
    }
    let author = pedido.t("cUFAutor");
    if !author.is_empty() && sigla_of(&author).is_none() {
        return refuse("215");
    }
    let nsu = |path: &str| -> Result<u64, Recusa> {
        let n = pedido.t(path).parse().map_err(|_| Recusa::from("215"))?;
        let max = call
            .memory
            .fila(pedido.lugar.local(), who)
            .map_or(0, |f| f.max(call.now_ms));
        if n > max { Err("589".into()) } else { Ok(n) }
    };
    let root = pedido.raiz();
    if root.child("distNSU").is_some() {
        Ok(Pergunta::Desde(nsu("distNSU/ultNSU")?))
    } else if root.child("consNSU").is_some() {
        Ok(Pergunta::Um(nsu("consNSU/NSU")?))
    } else {
        let key = pedido.t("consChNFe/chNFe");
        let parts = chave::check(&key, clock::year(call.now_ms))?;
        if parts.modelo != "55" {
            return refuse("618");
        }
        Ok(Pergunta::Chave(key))
    }
}

/// True when the party asks too often; that itself blocks it for an hour.
fn misuse(call: &mut Call<'_>, local: &str, who: &str, question: &Pergunta) -> bool {
    let now = call.now_ms;
    let use_ = call.memory.consumo(local, who);
    use_.pontuais_ms
        .retain(|at| now.saturating_sub(*at) < HOUR_MS);
    let too_often = match question {
        Pergunta::Desde(_) => now < use_.espera_ate_ms,
        _ => use_.pontuais_ms.len() >= MAX_PONTUAIS,
    };
    if now < use_.bloqueado_ate_ms || too_often {
        use_.bloqueado_ate_ms = now.saturating_add(HOUR_MS);
        return true;
    }
    if !matches!(question, Pergunta::Desde(_)) {
        use_.pontuais_ms.push(now);
    }
    false
}

/// NSU (0: none), name of the schema, document.
type Encontrado = (u64, &'static str, String);

fn since(call: &Call<'_>, local: &str, who: &str, last: u64) -> Result<Vec<Encontrado>, Recusa> {
    let Some(fila) = call.memory.fila(local, who) else {
        return Ok(Vec::new());
    };
    Ok(fila
        .docs
        .iter()
        .filter(|(n, from, _)| *n > last && visible(call, *from))
        .take(MAX_DOCS)
        .filter_map(|(n, _, doc)| written(call, doc).map(|(schema, xml)| (*n, schema, xml)))
        .collect())
}

fn visible(call: &Call<'_>, from_ms: i64) -> bool {
    from_ms <= call.now_ms && call.now_ms.saturating_sub(from_ms) <= GUARDA_MS
}

fn one(call: &Call<'_>, local: &str, who: &str, nsu: u64) -> Result<Vec<Encontrado>, Recusa> {
    let found = call.memory.fila(local, who).and_then(|fila| {
        fila.docs
            .iter()
            .find(|(n, from, _)| *n == nsu && visible(call, *from))
    });
    Ok(found
        .and_then(|(n, _, doc)| written(call, doc).map(|(s, x)| (*n, s, x)))
        .into_iter()
        .collect())
}

fn by_key(call: &Call<'_>, local: &str, who: &str, key: &str) -> Result<Vec<Encontrado>, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    let nota = call
        .notes
        .note_by_key(key)
        .filter(|n| n.sistema == SISTEMA && n.local == local && n.disponivel_ms <= call.now_ms);
    let Some(nota) = nota else {
        return refuse("217");
    };
    if call.now_ms.saturating_sub(nota.emitida_ms) > GUARDA_MS {
        return refuse("632");
    }
    let dest = nota.dados.get("dest").map_or("", String::as_str);
    if same_holder(who, &nota.prestador) && !same_holder(who, dest) {
        return refuse("641");
    }
    if !nota.partes.iter().any(|p| same_holder(p, who)) {
        return refuse("640");
    }
    if nota.situacao != Situacao::Normal {
        return refuse("653");
    }
    let opened = !same_holder(who, dest) || nota.dados.contains_key(MANIFESTADA);
    let doc = if opened {
        Doc::Nota(key.to_owned())
    } else {
        Doc::ResumoNota(key.to_owned())
    };
    let nsu = call
        .memory
        .fila(local, who)
        .and_then(|f| f.docs.iter().find(|(_, _, d)| *d == doc))
        .map_or(0, |(n, _, _)| *n);
    Ok(written(call, &doc)
        .map(|(s, x)| (nsu, s, x))
        .into_iter()
        .collect())
}

/// Schema name and text of a document.
fn written(call: &Call<'_>, doc: &Doc) -> Option<(&'static str, String)> {
    let event = |key: &str, tipo: &str, n: u32| {
        call.notes
            .events_of(key)
            .find(|e| e.sistema == SISTEMA && e.tipo == tipo && e.sequencia == n)
    };
    match doc {
        Doc::Nota(key) => Some(("procNFe_v4.00.xsd", nfe_proc(call.notes.note_by_key(key)?))),
        Doc::ResumoNota(key) => Some(("resNFe_v1.01.xsd", res_nfe(call.notes.note_by_key(key)?)?)),
        Doc::Evento(key, tipo, n) => {
            Some(("procEventoNFe_v1.00.xsd", event(key, tipo, *n)?.xml.clone()))
        }
        Doc::ResumoEvento(key, tipo, n) => {
            Some(("resEvento_v1.01.xsd", res_evento(event(key, tipo, *n)?)))
        }
    }
}

fn res_nfe(nota: &Nota) -> Option<String> {
    let nfe = Nfe {
        raiz: parse(&nota.xml).ok()?,
        texto: String::new(),
    };
    let issuer = tag(&nota.prestador);
    let digest = nfe
        .raiz
        .text_at("Signature/SignedInfo/Reference/DigestValue")?;
    let situation = if nota.situacao == Situacao::Normal {
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

fn res_evento(event: &Evento) -> String {
    let dado = |name: &str| event.dados.get(name).map_or("", String::as_str);
    let organ = dado("orgao");
    format!(
        "<resEvento xmlns=\"{NS}\" versao=\"1.01\"><cOrgao>{organ}</cOrgao>{}<chNFe>{}</chNFe><dhEvento>{}</dhEvento>\
         <tpEvento>{}</tpEvento><nSeqEvento>{}</nSeqEvento><xEvento>{}</xEvento><dhRecbto>{}</dhRecbto><nProt>{}</nProt></resEvento>",
        tag(dado("autor")),
        event.chave,
        dado("dhEvento"),
        event.tipo,
        event.sequencia,
        escape(dado("xEvento")),
        hora(event.registrado_ms, organ),
        dado("nProt"),
    )
}

fn tag(documento: &str) -> String {
    if documento.len() == 14 {
        format!("<CNPJ>{documento}</CNPJ>")
    } else {
        format!("<CPF>{documento}</CPF>")
    }
}

fn answer(
    call: &Call<'_>,
    pedido: &Incoming<'_>,
    who: &str,
    question: &Pergunta,
    docs: &[Encontrado],
) -> Answer {
    let lugar = pedido.lugar;
    let max = call
        .memory
        .fila(lugar.local(), who)
        .map_or(0, |f| f.max(call.now_ms));
    let last = match question {
        Pergunta::Desde(asked) => docs.last().map_or(max.max(*asked), |(n, _, _)| *n),
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
    let lote = if docs.is_empty() {
        String::new()
    } else {
        format!("<loteDistDFeInt>{zipped}</loteDistDFeInt>")
    };
    let document = format!(
        "<retDistDFeInt xmlns=\"{NS}\" versao=\"1.01\"><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat><xMotivo>{}</xMotivo>\
         <dhResp>{}</dhResp><ultNSU>{last:015}</ultNSU><maxNSU>{max:015}</maxNSU>{lote}</retDistDFeInt>",
        lugar.tp_amb(),
        lugar.texto(code),
        hora(call.now_ms, lugar.cuf()),
    );
    pedido.responder(call, &document)
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
fn refuse(call: &Call<'_>, pedido: &Incoming<'_>, who: &str, last: u64, recusa: &Recusa) -> Answer {
    let max = call
        .memory
        .fila(pedido.lugar.local(), who)
        .map_or(0, |f| f.max(call.now_ms));
    let sobre = Sobre {
        nsu: (last, max),
        ..Sobre::default()
    };
    let document = recusa_geral(call, pedido.lugar, recusa, &sobre);
    pedido.responder(call, &document)
}
