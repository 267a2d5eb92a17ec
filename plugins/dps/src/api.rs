//! The JSON of the Sefin Nacional, as production answers it: keys in
//! PascalCase or camelCase, `erro` as an object or a list, and proxies that
//! answer with something else altogether.

use sdk::{Effect, Failure, Mensagem, Request, Response, b64, gzip};
use serde_json::Value;

/// Name of the endpoint in the registry.
pub const ENDPOINT: &str = "sefin";
/// Longest text of a message kept.
const MAX_TEXTO: usize = 2000;
/// Most messages of one answer kept.
const MAX_MENSAGENS: usize = 100;

/// A query: GET, or HEAD when only the status matters.
pub fn consulta(rotulo: &str, metodo: &str, caminho: &str) -> Request {
    Request::new(rotulo, Effect::ReadOnly, metodo, ENDPOINT, caminho)
        .header("Accept", "application/json")
        .client_certificate()
}

/// A document to register: gzip in base64, in the field `campo`.
pub fn envio(rotulo: &str, caminho: &str, campo: &str, documento: &str) -> Request {
    let corpo = serde_json::json!({ campo: documento }).to_string();
    Request::post(rotulo, Effect::Once, ENDPOINT, caminho)
        .header("Accept", "application/json")
        .body("application/json", corpo)
        .client_certificate()
}

/// Member of an object whatever the case of its first letter.
pub fn campo<'a>(objeto: &'a Value, nome: &str) -> Option<&'a Value> {
    objeto
        .as_object()?
        .iter()
        .find(|(chave, _)| chave.eq_ignore_ascii_case(nome))
        .map(|(_, valor)| valor)
}

pub fn texto<'a>(objeto: &'a Value, nome: &str) -> Option<&'a str> {
    campo(objeto, nome)?
        .as_str()
        .map(str::trim)
        .filter(|texto| !texto.is_empty())
}

/// The bytes of a document inside an answer: base64 of gzip; some answers
/// wrap the base64 once more, some leave the gzip out. Whether they are a
/// document is for its reader to say.
pub fn documento(valor: &str) -> Option<Vec<u8>> {
    let mut bytes = b64::decode(valor)?;
    // base64(base64(gzip)) was seen in event queries.
    if let Ok(interno) = std::str::from_utf8(&bytes)
        && let Some(interno) = b64::decode(interno)
    {
        bytes = interno;
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        bytes = gzip::decompress(&bytes, gzip::MAX_DECODED).ok()?;
    }
    Some(bytes)
}

/// Errors of the authority. Empty when this is not one of its answers: an
/// error needs a code, as a proxy's JSON has none.
pub fn erros(json: &Value) -> Vec<Mensagem> {
    let lista = ["erros", "erro"].iter().find_map(|nome| campo(json, nome));
    mensagens(lista)
        .into_iter()
        .filter(|mensagem| !mensagem.codigo.is_empty())
        .collect()
}

/// Warnings of a success.
pub fn alertas(json: &Value) -> Vec<Mensagem> {
    mensagens(campo(json, "alertas"))
}

fn mensagens(lista: Option<&Value>) -> Vec<Mensagem> {
    let itens = match lista {
        Some(Value::Array(itens)) => itens.as_slice(),
        Some(objeto @ Value::Object(_)) => std::slice::from_ref(objeto),
        _ => &[],
    };
    itens
        .iter()
        .filter(|item| item.is_object())
        .take(MAX_MENSAGENS)
        .map(mensagem)
        .collect()
}

fn mensagem(item: &Value) -> Mensagem {
    let cortado =
        |nome| texto(item, nome).map(|texto| texto.chars().take(MAX_TEXTO).collect::<String>());
    Mensagem {
        codigo: cortado("codigo").unwrap_or_default(),
        texto: cortado("descricao")
            .or_else(|| cortado("mensagem"))
            .unwrap_or_default(),
        correcao: cortado("complemento"),
        campo: None,
    }
}

/// A 404 of the authority itself: with its error, or without any body. A
/// page of a proxy is not one.
pub fn nao_encontrado(resposta: &Response) -> bool {
    if resposta.status != 404 {
        return false;
    }
    if resposta.body.iter().all(u8::is_ascii_whitespace) {
        return true;
    }
    resposta
        .json()
        .is_some_and(|json| campo(&json, "erro").is_some() || campo(&json, "erros").is_some())
}

/// An answer the authority gave for certain.
pub enum Consultada<T> {
    Achada(T),
    Ausente,
}

/// What an answer that is not a success says.
pub enum Negativa {
    /// An explicit no to the content.
    Recusa(Vec<Mensagem>),
    /// 403, the one status that depends on the question: of a sending it
    /// refuses the content, of a query it refuses who asks.
    Proibido(Vec<Mensagem>),
    /// The certificate.
    Credencial(Vec<Mensagem>),
    /// 429: not looked at.
    Limite,
    Erro5xx,
    Desconhecida,
}

/// One table for sendings and queries. A no needs the authority's own coded
/// errors: without them the answer is a proxy's.
pub fn negativa(resposta: &Response) -> Negativa {
    let mensagens = resposta.json().map(|json| erros(&json)).unwrap_or_default();
    match resposta.status {
        429 => Negativa::Limite,
        500..=599 => Negativa::Erro5xx,
        // nginx: the client certificate was bad (495) or missing (496).
        495 | 496 => Negativa::Credencial(vec![Mensagem::new(
            "certificado",
            "A autoridade não aceitou o certificado.",
        )]),
        _ if mensagens.is_empty() => Negativa::Desconhecida,
        400 | 409 | 422 => Negativa::Recusa(mensagens),
        401 => Negativa::Credencial(mensagens),
        403 => Negativa::Proibido(mensagens),
        _ => Negativa::Desconhecida,
    }
}

/// What a query without a usable answer ends with.
pub fn sem_resposta(resposta: &Response) -> Failure {
    match negativa(resposta) {
        Negativa::Recusa(mensagens) => Failure::rejected(mensagens),
        Negativa::Proibido(mensagens) | Negativa::Credencial(mensagens) => {
            Failure::credentials(mensagens)
        }
        Negativa::Limite | Negativa::Erro5xx => {
            Failure::unavailable(resposta.retry_after_ms(), "consulta nao respondida")
                .with_evidence(&resposta.body)
        }
        Negativa::Desconhecida => Failure::unexpected("resposta desconhecida", &resposta.body),
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
            let esperada = Mensagem {
                codigo: "E1".into(),
                texto: "d".into(),
                correcao: Some("c".into()),
                campo: None,
            };
            assert_eq!(erros(&json), [esperada], "{json}");
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
        let resposta = |status, body: &str| Response {
            status,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
        };
        assert!(nao_encontrado(&resposta(404, "")));
        assert!(nao_encontrado(&resposta(
            404,
            r#"{"erro":{"codigo":"E1"}}"#
        )));
        assert!(!nao_encontrado(&resposta(404, "<html>not found</html>")));
        assert!(!nao_encontrado(&resposta(404, r#"{"message":"no route"}"#)));
        assert!(!nao_encontrado(&resposta(200, "")));
    }
}
