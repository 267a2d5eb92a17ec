//! The JSON of the Sefin Nacional, as production answers it: keys in
//! PascalCase or camelCase, `erro` as an object or a list, and proxies that
//! answer with something else altogether.

use sdk::{Effect, Failure, Mensagem, Request, Response, b64, gzip};
use serde_json::Value;

/// Name of the endpoint in the registry.
pub const ENDPOINT: &str = "sefin";
/// Longest text of a message kept.
const MAX_TEXT: usize = 2000;
/// Most messages of one answer kept.
const MAX_MESSAGES: usize = 100;

/// A query: GET, or HEAD when only the status matters.
pub fn query(label: &str, method: &str, caminho: &str) -> Request {
    Request::new(label, Effect::ReadOnly, method, ENDPOINT, caminho)
        .header("Accept", "application/json")
        .client_certificate()
}

/// A document to register: gzip in base64, in the field `campo`.
pub fn sending(label: &str, caminho: &str, field: &str, documento: &str) -> Request {
    let body = serde_json::json!({ field: documento }).to_string();
    Request::post(label, Effect::Once, ENDPOINT, caminho)
        .header("Accept", "application/json")
        .body("application/json", body)
        .client_certificate()
}

/// Member of an object whatever the case of its first letter.
pub fn field<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object
        .as_object()?
        .iter()
        .find(|(chave, _)| chave.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

pub fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    field(object, name)?
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// The bytes of a document inside an answer: base64 of gzip; some answers
/// wrap the base64 once more, some leave the gzip out. Whether they are a
/// document is for its reader to say.
pub fn documento(value: &str) -> Option<Vec<u8>> {
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
pub fn erros(json: &Value) -> Vec<Mensagem> {
    let list = ["erros", "erro"].iter().find_map(|name| field(json, name));
    messages(list)
        .into_iter()
        .filter(|message| !message.codigo.is_empty())
        .collect()
}

/// Warnings of a success.
pub fn alertas(json: &Value) -> Vec<Mensagem> {
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
    let cut = |name| text(item, name).map(|text| text.chars().take(MAX_TEXT).collect::<String>());
    Mensagem {
        codigo: cut("codigo").unwrap_or_default(),
        texto: cut("descricao")
            .or_else(|| cut("mensagem"))
            .unwrap_or_default(),
        correcao: cut("complemento"),
        campo: None,
    }
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
    response
        .json()
        .is_some_and(|json| field(&json, "erro").is_some() || field(&json, "erros").is_some())
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
    let messages = response.json().map(|json| erros(&json)).unwrap_or_default();
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
