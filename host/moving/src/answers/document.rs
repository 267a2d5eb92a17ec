//! What a consultation shows.

use super::refusal::Rejection;
use super::{Answer, put, text};
use crate::kind::Kind;
use serde_json::{Map, Value, json};

/// Codes by which a SEFAZ denies a note for good (MOC 7.0, table of results).
const DENIED: [&str; 5] = ["110", "205", "301", "302", "303"];

/// Paths of files.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub xml: Option<String>,
    pub print: Option<String>,
}

/// What happened to a note after it existed.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The XML of the registered cancellation, and its protocol.
    pub cancellation: Option<(String, String)>,
    /// How many correction letters are registered, and the files of the last.
    pub letters: i64,
    pub letter: Links,
}

/// Their word for the state of a note.
pub fn status(kind: Kind, note: &Value) -> &'static str {
    match text(note, "/status").unwrap_or_default() {
        "autorizada" | "validada" if replaced(note) => "substituido",
        "autorizada" | "validada" => "autorizado",
        "cancelada" if replaced(note) => "substituido",
        "cancelada" => "cancelado",
        "rejeitada" if is_denied(kind, &note["rejeicao"]) => "denegado",
        "rejeitada" | "nao_enviada" => "erro_autorizacao",
        _ => "processando_autorizacao",
    }
}

fn replaced(note: &Value) -> bool {
    text(note, "/substituida_por").is_some()
}

/// Whether the authority's refusal denied a note for good. `rejection`: the one of the
/// note. The same codes of a city mean something else.
pub fn is_denied(kind: Kind, rejection: &Value) -> bool {
    kind.is_product() && text(rejection, "/codigo").is_some_and(|code| DENIED.contains(&code))
}

/// A note that was taken and whose result is not known.
pub fn processing(kind: Kind, cnpj: &str, reference: &str) -> Answer {
    let mut body = head(kind, cnpj, reference);
    body.insert("status".to_owned(), "processando_autorizacao".into());
    Answer::new(202, body.into())
}

/// A note as it is. `note`: our answer about it.
pub fn consulted(
    kind: Kind,
    cnpj: &str,
    reference: &str,
    note: &Value,
    (links, events): (&Links, &Events),
) -> Value {
    let mut body = head(kind, cnpj, reference);
    if kind.is_product() {
        product(&mut body, kind, note, links, events);
    } else {
        service(&mut body, kind, note, links, events);
    }
    body.into()
}

fn head(kind: Kind, cnpj: &str, reference: &str) -> Map<String, Value> {
    let company = if kind.is_product() {
        "cnpj_emitente"
    } else {
        "cnpj_prestador"
    };
    let mut body = Map::new();
    body.insert(company.to_owned(), cnpj.into());
    body.insert("ref".to_owned(), reference.into());
    body
}

fn product(
    body: &mut Map<String, Value>,
    kind: Kind,
    note: &Value,
    links: &Links,
    events: &Events,
) {
    let status = status(kind, note);
    body.insert("status".to_owned(), status.into());
    let said = [text(note, "/status_sefaz"), text(note, "/mensagem_sefaz")];
    match status {
        "processando_autorizacao" => return,
        "erro_autorizacao" | "denegado" => refused(body, note),
        _ => {
            put(body, "status_sefaz", said[0]);
            put(body, "mensagem_sefaz", said[1]);
        }
    }
    if status == "erro_autorizacao" {
        return;
    }
    let key = text(note, "/chave").map(|key| format!("NFe{key}"));
    put(body, "chave_nfe", key);
    put(body, "numero", digits(note, "/numero"));
    put(body, "serie", digits(note, "/serie"));
    put(body, "caminho_xml_nota_fiscal", links.xml.clone());
    put(body, "caminho_danfe", links.print.clone());
    if kind == Kind::Nfce {
        put(body, "qrcode_url", text(note, "/qr_code"));
        put(body, "url_consulta_nf", text(note, "/url_consulta"));
    }
    if let Some((xml, protocol)) = &events.cancellation {
        body.insert("caminho_xml_cancelamento".to_owned(), xml.as_str().into());
        if kind == Kind::Nfce {
            body.insert("numero_protocolo".to_owned(), protocol.as_str().into());
        }
    }
    if events.letters > 0 {
        put(
            body,
            "caminho_xml_carta_correcao",
            events.letter.xml.clone(),
        );
        put(
            body,
            "caminho_pdf_carta_correcao",
            events.letter.print.clone(),
        );
        body.insert("numero_carta_correcao".to_owned(), events.letters.into());
    }
}

/// Code and text of the authority; of a note that did not reach it, why.
fn refused(body: &mut Map<String, Value>, note: &Value) {
    if let Some(rejection) = Rejection::of(note) {
        body.insert("status_sefaz".to_owned(), rejection.code.into());
        body.insert("mensagem_sefaz".to_owned(), rejection.reason.into());
        return;
    }
    body.insert("status_sefaz".to_owned(), Value::Null);
    let why = text(note, "/recusa/mensagem").unwrap_or("A nota não chegou à SEFAZ.");
    body.insert("mensagem_sefaz".to_owned(), why.into());
}

fn service(
    body: &mut Map<String, Value>,
    kind: Kind,
    note: &Value,
    links: &Links,
    events: &Events,
) {
    let status = status(kind, note);
    put(body, "numero_rps", digits(note, "/rps/numero"));
    put(body, "serie_rps", text(note, "/rps/serie"));
    if note["rps"].is_object() {
        body.insert("tipo_rps".to_owned(), "1".into());
    }
    body.insert("status".to_owned(), status.into());
    match status {
        "processando_autorizacao" => {}
        "erro_autorizacao" => {
            body.insert("erros".to_owned(), json!([why(note)]));
        }
        _ => {
            put(body, "numero", text(note, "/numero_nfse"));
            let verification = text(note, "/codigo_verificacao").or(text(note, "/chave"));
            put(body, "codigo_verificacao", verification);
            put(body, "data_emissao", text(note, "/autorizada_em"));
            put(body, "url", text(note, "/url_consulta"));
            put(body, "caminho_xml_nota_fiscal", links.xml.clone());
            put(body, "url_danfse", links.print.clone());
            if let Some((xml, _)) = &events.cancellation {
                body.insert("caminho_xml_cancelamento".to_owned(), xml.as_str().into());
            }
        }
    }
}

/// Why a service note was not issued.
fn why(note: &Value) -> Value {
    if let Some(rejection) = Rejection::of(note) {
        return rejection.entry();
    }
    json!({
        "codigo": text(note, "/recusa/codigo"),
        "mensagem": text(note, "/recusa/mensagem").unwrap_or("A nota não chegou à prefeitura."),
        "correcao": text(note, "/recusa/dica"),
    })
}

/// A number of ours as its digits.
fn digits(note: &Value, pointer: &str) -> Option<String> {
    let number = note.pointer(pointer)?;
    number.is_number().then(|| number.to_string())
}
