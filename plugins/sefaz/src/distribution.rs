//! Operation "distribuicao": documents of interest of a CNPJ or CPF, as the
//! national environment hands them out.

use crate::Call;
use crate::answer::cstat::{Class, State};
use crate::answer::{Answer, text};
use crate::content::{self, Distribuicao};
use crate::family;
use crate::ids;
use crate::request::{message, tp_amb};
use crate::service::Service;
use sdk::gzip::{self, GzipError};
use sdk::xml::Element;
use sdk::{
    Conteudo, Documento, Failure, FailureReason, Flow, Mensagem, Outcome, Situacao, Success, b64,
};
use serde_json::json;

/// Schema of the answer.
const ANSWER: &str = "sefaz.distribuicao.resposta/1";
/// Version of distDFeInt.
const VERSION: &str = "1.01";
/// Most documents of one answer: the service gives 50 at a time.
const MAX_DOCUMENTOS: usize = 64;
/// Bytes of all decoded documents of one outcome. What comes after is asked
/// again: an adapter has 32 MiB, and its outcome may take half of that.
const MAX_BYTES: usize = 6 * 1024 * 1024;

pub async fn buscar(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Distribuicao = content::read(content, content::DISTRIBUICAO)?;
    let call = Call::fresh(flow, &family::NFE)?;
    let answer = call
        .ask(Service::Distribuicao, &question(flow, &request))
        .await?;
    let root = answer.root();
    let Some(state) = State::of(root) else {
        return Err(Failure::unexpected(
            "retDistDFeInt sem cStat",
            answer.text(),
        ));
    };
    let ambiente = text(root, "tpAmb");
    if ambiente.is_some_and(|said| said != tp_amb(flow.ctx())) {
        return Err(Failure::unexpected(
            "distribuicao de outro ambiente",
            answer.text(),
        ));
    }
    let batch = match state.cstat.as_str() {
        "138" => open(root),
        "137" => Batch::default(),
        _ => return Err(refusal(&state, &answer)),
    };
    if state.cstat == "138" && batch.documentos.is_empty() {
        return Err(Failure::unexpected("138 sem docZip", answer.text()));
    }
    let response = json!({
        "cstat": state.cstat,
        "motivo": state.reason,
        "ultimo_nsu": batch.cut_at.clone().or_else(|| nsu(root, "ultNSU")),
        "max_nsu": nsu(root, "maxNSU"),
        "recebido_em": text(root, "dhResp"),
        "cortada": batch.cut_at.is_some(),
    });
    let success = Success::new(Situacao::Consultado).messages(batch.messages);
    let mut success = batch
        .documentos
        .into_iter()
        .fold(success, Success::documento);
    success.conteudo = Some(Conteudo {
        schema: ANSWER.into(),
        json: response.to_string(),
    });
    Ok(success)
}

fn question(flow: &Flow, request: &Distribuicao) -> String {
    message(&family::NFE, "distDFeInt", VERSION, |w| {
        w.leaf("tpAmb", tp_amb(flow.ctx()));
        let uf = request.uf_autor.map(|uf| uf.to_string());
        w.optional("cUFAutor", uf.as_deref());
        let tag = if ids::cpf(&request.documento) {
            "CPF"
        } else {
            "CNPJ"
        };
        w.leaf(tag, &request.documento);
        let fifteen_digits = |nsu: &String| format!("{nsu:0>15}");
        if let Some(last) = &request.ultimo_nsu {
            w.group("distNSU", &[], |w| {
                w.leaf("ultNSU", &fifteen_digits(last));
            });
        }
        if let Some(nsu) = &request.nsu {
            w.group("consNSU", &[], |w| {
                w.leaf("NSU", &fifteen_digits(nsu));
            });
        }
        if let Some(chave) = &request.chave {
            w.group("consChNFe", &[], |w| {
                w.leaf("chNFe", chave);
            });
        }
    })
}

/// A number of the sequence, when it is one.
fn nsu(root: &Element, field: &str) -> Option<String> {
    root.text_at(field)
        .filter(|nsu| ids::digits(nsu, 1..=15))
        .map(|nsu| format!("{nsu:0>15}"))
}

/// A no. With 656 comes the NSU to go on from (NT 2014.002 v1.14,
/// second-hand): it goes along as messages, since a failure has no content.
fn refusal(state: &State, answer: &Answer) -> Failure {
    let mut failure = state.failure(answer);
    if let (Class::Unavailable(_), FailureReason::Unavailable(reason)) =
        (state.class(answer.family), &mut failure.reason)
    {
        let fields = [("ultimo_nsu", "ultNSU"), ("max_nsu", "maxNSU")];
        reason
            .mensagens
            .extend(fields.iter().filter_map(|(codigo, field)| {
                Some(Mensagem::new(codigo, &nsu(answer.root(), field)?))
            }));
    }
    failure
}

#[derive(Default)]
struct Batch {
    documentos: Vec<Documento>,
    messages: Vec<Mensagem>,
    /// NSU of the last document given, where others had no room.
    cut_at: Option<String>,
}

fn open(root: &Element) -> Batch {
    let mut batch = Batch::default();
    let mut bytes = 0;
    let Some(list) = root.child("loteDistDFeInt") else {
        return batch;
    };
    for zip in list.children_named("docZip") {
        let number = zip.attribute("NSU").unwrap_or_default().to_owned();
        // Some room for the next one, or it waits; the first is always given.
        let rest = MAX_BYTES.saturating_sub(bytes);
        if !batch.documentos.is_empty() && (rest == 0 || batch.documentos.len() >= MAX_DOCUMENTOS) {
            batch.cut_at = last(&batch);
            return batch;
        }
        let opened = b64::decode(zip.text())
            .ok_or(GzipError::NotBase64)
            .and_then(|zip| gzip::decompress(&zip, rest.max(1)));
        if opened == Err(GzipError::TooLarge) && bytes > 0 {
            batch.cut_at = last(&batch);
            return batch;
        }
        let xml = opened.ok();
        if xml.is_none() {
            batch.messages.push(Mensagem::new(
                "doczip_ilegivel",
                &format!("O documento do NSU {number} não pôde ser lido."),
            ));
        }
        bytes += xml.as_ref().map_or(0, Vec::len);
        batch.documentos.push(documento(zip, number, xml));
    }
    batch
}

fn last(batch: &Batch) -> Option<String> {
    let last = batch.documentos.last()?.numero.as_deref()?;
    Some(format!("{last:0>15}"))
}

fn documento(zip: &Element, number: String, xml: Option<Vec<u8>>) -> Documento {
    let schema = zip.attribute("schema").unwrap_or_default();
    // "procNFe_v4.00.xsd"
    let kind = schema.split(['_', '.']).next().unwrap_or_default();
    let mut documento = Documento::new(kind, Situacao::Consultado);
    documento.numero = Some(number);
    documento.chave = xml.as_deref().and_then(chave);
    documento.value("schema", Some(schema));
    documento.xml = xml;
    documento
}

/// Text of the first chNFe: every kind of document has one.
fn chave(xml: &[u8]) -> Option<String> {
    const TAG: &[u8] = b"chNFe>";
    let start = xml.windows(TAG.len()).position(|part| part == TAG)? + TAG.len();
    let text = std::str::from_utf8(xml.get(start..start + ids::CHAVE)?).ok()?;
    ids::chave(text).then(|| text.to_owned())
}
