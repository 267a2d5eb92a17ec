//! What an authority answers: the JSON of the Sefin Nacional as production
//! answers it (keys in PascalCase or camelCase, `erro` as an object or a list,
//! and proxies that answer with something else altogether), and the same in
//! the forms of cities that take the DPS at their own address.

mod xml;

use crate::ids::is_valid_chave;
use sdk::{Failure, Mensagem, Response, b64, gzip};
use serde_json::Value;

/// Longest text of a message kept.
const MAX_TEXT: usize = 2000;
/// Most messages of one answer kept.
const MAX_MESSAGES: usize = 100;
/// Members that hold a document, packed or as it is.
const DOCUMENTS: [&str; 5] = [
    "nfseXmlGZipB64",
    "eventoXmlGZipB64",
    "xmlGZipB64",
    "arquivoXml",
    "xml",
];
/// Most events of one answer read.
const MAX_LISTED: usize = 200;
/// Lists that hold the one item of an answer.
const LISTS: [&str; 2] = ["lote", "notas"];

/// An answer, whatever its form.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub chave: Option<String>,
    pub id_dps: Option<String>,
    /// The note or the event in it.
    pub documento: Option<Vec<u8>>,
    /// A cancellation in words, without the event: the part that says so.
    pub confirmation: Option<Vec<u8>>,
    /// What was sent was received and will be looked at.
    pub protocol: Option<String>,
    /// Its status says that what was received failed.
    pub failed: bool,
    /// Coded errors of the authority.
    pub errors: Vec<Mensagem>,
    pub alerts: Vec<Mensagem>,
    /// A form that says no with a status of success: then errors without a
    /// document are a no.
    pub explicit: bool,
    /// A list of notes with none in it.
    pub empty: bool,
}

impl Answer {
    /// Errors with a status of success, and nothing that came of it: a no in
    /// forms that say it so. With a key beside them it is a contradiction,
    /// unless they say `already_exists`.
    pub fn refuses(&self, lenient: bool, already_exists: &str) -> bool {
        let taken = |message: &Mensagem| message.codigo == already_exists;
        (self.explicit || lenient)
            && self.documento.is_none()
            && !self.errors.is_empty()
            && (self.chave.is_none() || self.errors.iter().any(taken))
    }

    /// Whether the answer names another DPS than this one.
    pub fn is_of_another(&self, dps: Option<&str>) -> bool {
        match (self.id_dps.as_deref(), dps) {
            (Some(named), Some(dps)) => named != dps,
            _ => false,
        }
    }

    /// What says that a document was received, and gives nothing of it: a
    /// protocol, or of a DPS the key of its note, which is no less where nothing
    /// contradicts it.
    pub fn receipt(&self, of_dps: bool) -> Option<&str> {
        let clear = of_dps && self.explicit && !self.failed && self.errors.is_empty();
        let chave = self.chave.as_deref();
        self.protocol
            .as_deref()
            .or(chave.filter(|chave| clear && is_valid_chave(chave)))
            .filter(|_| self.documento.is_none())
    }

    /// Whether the answer to the question for a protocol says no. Beside the
    /// protocol, which such an answer may repeat, errors are a no only where
    /// the status says so too: they may as well say that all is well.
    pub fn refuses_received(&self, already_exists: &str) -> bool {
        let taken = |message: &Mensagem| message.codigo == already_exists;
        (self.failed || self.protocol.is_none())
            && self.refuses(true, already_exists)
            && !self.errors.iter().any(taken)
    }
}

/// Words of a status that says that something failed.
const FAILED: [&str; 2] = ["erro", "rejeitad"];
/// The contrary, with one of those words in it.
const WITHOUT_FAILURE: &str = "sem erro";
/// Where the status of a processing stands.
const STATUS: [&str; 3] = ["statusProcessamento", "status", "situacao"];

/// Whether a status says that something failed.
fn says_failed(status: &str) -> bool {
    let status = status.to_lowercase();
    FAILED.iter().any(|word| status.contains(word)) && !status.contains(WITHOUT_FAILURE)
}

/// Reads an answer. None: neither JSON nor XML of an authority.
pub fn read(response: &Response) -> Option<Answer> {
    match response.json() {
        Some(json) => Some(read_json(&json)),
        None => xml::read(&response.body),
    }
}

fn read_json(json: &Value) -> Answer {
    let list = LISTS.iter().find_map(|name| field(json, name)?.as_array());
    let item = match list.map(Vec::as_slice) {
        Some([item]) => item,
        // Two items are not the answer to one document.
        Some(_) => &Value::Null,
        None => json,
    };
    let texts = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| text(item, name))
            .map(str::to_owned)
    };
    let mut errors = erros(json);
    let mut alerts = alertas(json);
    if list.is_some() {
        errors.extend(erros(item));
        alerts.extend(alertas(item));
    }
    Answer {
        chave: texts(&["chaveAcesso", "chave_acesso", "chave"]),
        id_dps: texts(&["idDps"]),
        documento: DOCUMENTS
            .iter()
            .find_map(|name| text(item, name))
            .and_then(documento),
        confirmation: None,
        protocol: protocol(item),
        failed: texts(&STATUS).is_some_and(|status| says_failed(&status)),
        errors,
        alerts,
        explicit: list.is_some(),
        empty: list.is_some_and(Vec::is_empty),
    }
}

/// The packed documents of a list of events: `eventos`, or the list itself.
/// None: it is no such list.
pub fn listed(response: &Response) -> Option<Vec<Vec<u8>>> {
    let json = response.json()?;
    let list = match &json {
        Value::Array(list) => list,
        _ => field(&json, "eventos")?.as_array()?,
    };
    let documents = list.iter().take(MAX_LISTED).filter_map(|item| {
        DOCUMENTS
            .iter()
            .find_map(|name| text(item, name))
            .and_then(documento)
    });
    Some(documents.collect())
}

/// Member of an object whatever the case of its first letter.
fn field<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object
        .as_object()?
        .iter()
        .find(|(chave, _)| chave.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    field(object, name)?
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// A protocol as text or as a number; zero is none.
fn protocol(item: &Value) -> Option<String> {
    match field(item, "protocolo")? {
        Value::Number(number) if number.as_u64() != Some(0) => Some(number.to_string()),
        _ => text(item, "protocolo").map(str::to_owned),
    }
}

/// The bytes of a document inside an answer: base64 of gzip; some answers
/// wrap the base64 once more, some leave the gzip out, some send the text,
/// escaped once more or not. Whether they are a
/// document is for its reader to say.
fn documento(value: &str) -> Option<Vec<u8>> {
    if value.starts_with('<') {
        return Some(value.as_bytes().to_vec());
    }
    if value.starts_with("&lt;") {
        let wrapped = format!("<x>{value}</x>");
        let document = sdk::xml::parse(wrapped.as_bytes()).ok()?;
        return Some(document.root().text().as_bytes().to_vec());
    }
    let mut bytes = b64::decode(value)?;
    // base64(base64(gzip)) was seen in event queries.
    if let Ok(inner) = std::str::from_utf8(&bytes)
        && let Some(inner) = b64::decode(inner)
    {
        bytes = inner;
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        bytes = gzip::decompress(&bytes, gzip::MAX_DECODED).ok()?;
    }
    Some(bytes)
}

/// Errors of the authority. Empty when this is not one of its answers: an
/// error needs a code, as a proxy's JSON has none.
fn erros(json: &Value) -> Vec<Mensagem> {
    // One city answers with the bare list.
    let list = match json {
        Value::Array(_) => Some(json),
        _ => ["erros", "erro"].iter().find_map(|name| field(json, name)),
    };
    messages(list)
        .into_iter()
        .filter(|message| !message.codigo.is_empty())
        .collect()
}

/// Warnings of a success.
fn alertas(json: &Value) -> Vec<Mensagem> {
    messages(field(json, "alertas"))
}

fn messages(list: Option<&Value>) -> Vec<Mensagem> {
    let items = match list {
        Some(Value::Array(items)) => items.as_slice(),
        Some(object @ Value::Object(_)) => std::slice::from_ref(object),
        _ => &[],
    };
    items
        .iter()
        .filter(|item| item.is_object())
        .take(MAX_MESSAGES)
        .map(message)
        .collect()
}

fn message(item: &Value) -> Mensagem {
    let cut = |name| text(item, name).map(cut);
    Mensagem {
        codigo: cut("codigo")
            .or_else(|| cut("codigo_erro"))
            .unwrap_or_default(),
        texto: cut("descricao")
            .or_else(|| cut("mensagem"))
            .unwrap_or_default(),
        correcao: ["complemento", "correcao", "detalhes"]
            .into_iter()
            .find_map(cut),
        campo: None,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

/// A 404 of the authority itself: with its error, or without any body. A
/// page of a proxy is not one.
pub fn not_found(response: &Response) -> bool {
    if response.status != 404 {
        return false;
    }
    if response.body.iter().all(u8::is_ascii_whitespace) {
        return true;
    }
    match response.json() {
        Some(json) => field(&json, "erro").is_some() || field(&json, "erros").is_some(),
        None => xml::read(&response.body).is_some_and(|answer| !answer.errors.is_empty()),
    }
}

/// An answer the authority gave for certain.
pub enum Queried<T> {
    Found(T),
    Absent,
}

/// What an answer that is not a success says.
pub enum Denial {
    /// An explicit no to the content.
    Refusal(Vec<Mensagem>),
    /// 403, the one status that depends on the question: of a sending it
    /// refuses the content, of a query it refuses who asks.
    Forbidden(Vec<Mensagem>),
    /// The certificate.
    Credential(Vec<Mensagem>),
    /// 429: not looked at.
    Limit,
    Error5xx,
    Unknown,
}

/// One table for sendings and queries. A no needs the authority's own coded
/// errors: without them the answer is a proxy's.
pub fn denial(response: &Response) -> Denial {
    let messages = read(response)
        .map(|answer| answer.errors)
        .unwrap_or_default();
    match response.status {
        429 => Denial::Limit,
        500..=599 => Denial::Error5xx,
        // nginx: the client certificate was bad (495) or missing (496).
        495 | 496 => Denial::Credential(vec![Mensagem::new(
            "certificado",
            "A autoridade não aceitou o certificado.",
        )]),
        _ if messages.is_empty() => Denial::Unknown,
        400 | 409 | 422 => Denial::Refusal(messages),
        401 => Denial::Credential(messages),
        403 => Denial::Forbidden(messages),
        _ => Denial::Unknown,
    }
}

/// What a query without a usable answer ends with.
pub fn unanswered(response: &Response) -> Failure {
    match denial(response) {
        Denial::Refusal(messages) => Failure::rejected(messages),
        Denial::Forbidden(messages) | Denial::Credential(messages) => {
            Failure::credentials(messages)
        }
        Denial::Limit | Denial::Error5xx => {
            Failure::unavailable(response.retry_after_ms(), "consulta nao respondida")
                .with_evidence(&response.body)
        }
        Denial::Unknown => Failure::unexpected("resposta desconhecida", &response.body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_in_every_shape_seen() {
        for json in [
            json!({"erros": [{"Codigo": "E1", "Descricao": "d", "Complemento": "c"}]}),
            json!({"Erros": [{"codigo": "E1", "descricao": "d", "complemento": "c"}]}),
            json!({"erro": {"codigo": "E1", "descricao": "d", "complemento": "c"}}),
            json!({"erro": [{"codigo": "E1", "mensagem": "d", "complemento": " c "}]}),
        ] {
            let expected = Mensagem {
                codigo: "E1".into(),
                texto: "d".into(),
                correcao: Some("c".into()),
                campo: None,
            };
            assert_eq!(erros(&json), [expected], "{json}");
        }
        for foreign in [
            json!({"erro": "acesso negado"}),
            json!({"erros": [{"message": "x"}]}),
            json!({"erros": []}),
            json!({"error": {"code": "E1"}}),
            json!([1]),
            json!(null),
        ] {
            assert!(erros(&foreign).is_empty(), "{foreign}");
        }
    }

    #[test]
    fn documents_in_every_wrapping_seen() {
        let xml = b"<evento></evento>";
        let once = gzip::encode(xml);
        for packed in [once.clone(), b64::encode(once.as_bytes()), b64::encode(xml)] {
            assert_eq!(documento(&packed).as_deref(), Some(xml.as_slice()));
        }
        let cut = gzip::compress(xml);
        for junk in ["%%%", &b64::encode(&cut[..cut.len() / 2])] {
            assert_eq!(documento(junk), None, "{junk}");
        }
    }

    #[test]
    fn only_the_authority_knows_that_nothing_is_there() {
        let response = |status, body: &str| Response {
            status,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
        };
        assert!(not_found(&response(404, "")));
        assert!(not_found(&response(404, r#"{"erro":{"codigo":"E1"}}"#)));
        assert!(!not_found(&response(404, "<html>not found</html>")));
        assert!(!not_found(&response(404, r#"{"message":"no route"}"#)));
        assert!(!not_found(&response(200, "")));
    }
}
