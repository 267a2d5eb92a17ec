//! Reads an HTTP answer into what it says, without judging it.

use super::nota;
use crate::answer::messages::collect;
use crate::service::Service;
use crate::transport::Transport;
use rps::{Content, Nota, Reading, dates, isolate};
use sdk::soap::{self, SoapError};
use sdk::xml::{Document, Element};
use sdk::{Context, Documento, Mensagem, Response, Situacao};
use serde_json::Value;

/// Code of a refused login, the one of HTTP.
pub const DENIED: &str = "401";

/// Most notes read from one answer: the model's page has 50.
const MAX_NOTAS: usize = 50;

/// Reads the answer to a request of this service.
pub fn read(response: &Response, service: Service, ctx: &Context) -> Reading {
    if let Some(reading) = Reading::of_status(response) {
        return reading;
    }
    let response_name = service.response();
    let own_name = Transport::read(ctx)
        .ok()
        .and_then(|transport| transport.answer(service))
        .unwrap_or_else(|| response_name.clone());
    // Some systems leave the root out (a bare ListaMensagemRetorno).
    let expected_ones = [
        own_name.as_str(),
        response_name.as_str(),
        "ListaNfse",
        "CompNfse",
        "ListaMensagemRetorno",
        "ListaMensagemRetornoLote",
        "MensagemRetorno",
    ];
    let body = out_of_json(&response.body);
    let document = match soap::unwrap(body.as_deref().unwrap_or(&response.body), &expected_ones) {
        Ok(document) => innermost(document, &expected_ones),
        Err(SoapError::Fault(fault)) => return Reading::Fault(fault),
        Err(SoapError::Xml(_)) => return Reading::Illegible("a resposta nao e XML"),
        Err(SoapError::NotFound) => {
            let Some(denial) = denial(&response.body) else {
                return Reading::Illegible("a resposta nao tem a mensagem esperada");
            };
            return Reading::Content(Box::new(Content {
                messages: vec![denial],
                ..Content::default()
            }));
        }
    };
    let root = document.root();
    let element = root
        .descendant(&own_name)
        .or_else(|| root.descendant(&response_name))
        .unwrap_or(root);
    let mut content = content(&document, element, ctx);
    if service == Service::Cancelar && content.cancelamento.is_none() {
        content.cancelamento =
            cancelled(&content.notas).or_else(|| bare_confirmation(&document, element, ctx));
    }
    // Behind an error only a note itself is believed: a proxy or a half-dead
    // service may answer with messages of its own. 400 and 422 with messages
    // of the layout are the service's no (RFC 9110 §15.5: the request is wrong).
    let refused = matches!(response.status, 400 | 422)
        && !content.messages.is_empty()
        && content.cancelamento.is_none();
    if !response.is_success() && content.notas.is_empty() && !refused {
        return Reading::Illegible("codigo HTTP de erro");
    }
    Reading::Content(Box::new(content))
}

/// The message itself, where the element that carries it as text has its name.
fn innermost(document: Document, expected: &[&str]) -> Document {
    let carrier = expected
        .iter()
        .find_map(|name| document.root().descendant(name))
        .filter(|element| element.children().is_empty());
    let text = carrier.map_or("", |element| element.text().trim_start());
    match soap::unwrap(text.as_bytes(), expected) {
        Ok(inner) => inner,
        Err(_) => document,
    }
}

fn content(document: &Document, root: &Element, ctx: &Context) -> Content {
    let (messages, alertas) = collect(root);
    let nota_in = |element: &Element| notas(document, element, ctx).into_iter().next();
    let replacing = root
        .descendant("NfseSubstituidora")
        .filter(|e| !e.children().is_empty());
    let (notas, replaced) = match replacing {
        Some(element) => (
            notas(document, element, ctx),
            root.find("RetSubstituicao/NfseSubstituida")
                .and_then(nota_in),
        ),
        None => (notas(document, root, ctx), None),
    };
    let list = root.descendant("ListaNfse");
    Content {
        cancelamento: cancelamento(document, root, ctx),
        protocol: text(root, "Protocolo"),
        status: root.text_at("Situacao").and_then(|text| text.parse().ok()),
        empty_list: notas.is_empty()
            && messages.is_empty()
            && list.is_some_and(|list| list.children().is_empty()),
        notas,
        replaced,
        messages,
        alertas,
        ..Content::default()
    }
}

fn text(root: &Element, name: &str) -> Option<String> {
    let text = root.text_at(name)?;
    (text.len() <= 50).then(|| text.to_owned())
}

/// Every note: `CompNfse` (some write `ComplNfse`), else `Nfse` alone.
fn notas(document: &Document, root: &Element, ctx: &Context) -> Vec<Nota> {
    ["CompNfse", "ComplNfse", "Nfse"]
        .iter()
        .map(|name| root.descendants(name))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
        .into_iter()
        .take(MAX_NOTAS)
        .filter_map(|element| nota::read(document, element, ctx))
        .collect()
}

/// The document in a JSON text, or in a field of a JSON object.
fn out_of_json(body: &[u8]) -> Option<Vec<u8>> {
    let start = body.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if !matches!(start, b'{' | b'"') {
        return None;
    }
    let value: Value = serde_json::from_slice(body).ok()?;
    let is_document = |value: &&Value| {
        value
            .as_str()
            .is_some_and(|text| text.trim_start().starts_with('<'))
    };
    let found = match &value {
        Value::Object(fields) => fields.values().find(is_document)?,
        other => Some(other).filter(is_document)?,
    };
    Some(found.as_str()?.as_bytes().to_vec())
}

/// What the platform before a service says of a refused login, in a form of
/// its own: `<retorno><msg/><code>401</code></retorno>`.
fn denial(body: &[u8]) -> Option<Mensagem> {
    let document = soap::unwrap(body, &["code"]).ok()?;
    let code = document.root().descendant("code")?.text();
    let text = document.root().descendant("msg").map_or("", Element::text);
    (code == DENIED).then(|| Mensagem::new(code, text))
}

/// The note itself, cancelled, where a system answers a cancellation with it.
fn cancelled(notas: &[Nota]) -> Option<Documento> {
    match notas {
        [nota] if nota.documento.situacao == Situacao::Cancelado => Some(nota.documento.clone()),
        _ => None,
    }
}

/// `Sucesso` and a date alone, in the second version of one old dialect.
fn bare_confirmation(document: &Document, root: &Element, ctx: &Context) -> Option<Documento> {
    let done = root.text_at("Sucesso")?.eq_ignore_ascii_case("true");
    let data = root.text_at("DataHora").filter(|_| done)?;
    let mut evento = Documento::new("evento", Situacao::Cancelado);
    evento.xml = Some(isolate(document, root).into_bytes());
    evento.emitido_em = dates::moment(data, ctx);
    Some(evento)
}

/// The confirmation, outside of any note: a date in `Confirmacao`, and no
/// `Sucesso` that is not true (an old dialect answers "false" with a date).
fn cancelamento(document: &Document, root: &Element, ctx: &Context) -> Option<Documento> {
    let ret = ["RetCancelamento", "tcRetCancelamento", "Cancelamento"]
        .iter()
        .find_map(|name| root.child(name))?;
    let confirmation = ["Confirmacao", "ConfirmacaoCancelamento"]
        .iter()
        .find_map(|name| ret.descendant(name))?;
    let data = ["DataHora", "DataHoraCancelamento"]
        .iter()
        .find_map(|name| confirmation.descendant(name))
        .map(Element::text)
        .filter(|text| !text.is_empty())?;
    let denied = confirmation
        .descendant("Sucesso")
        .is_some_and(|success| !success.text().eq_ignore_ascii_case("true"));
    if denied {
        return None;
    }
    let mut evento = Documento::new("evento", Situacao::Cancelado);
    evento.xml = Some(isolate(document, ret).into_bytes());
    evento.numero = confirmation
        .descendant("IdentificacaoNfse")
        .and_then(|nota| nota.text_at("Numero"))
        .map(str::to_owned);
    evento.emitido_em = dates::moment(data, ctx);
    Some(evento)
}

#[cfg(test)]
mod tests {
    use super::{denial, out_of_json};

    #[test]
    fn a_document_may_stand_in_json() {
        for text in [r#""<a/>""#, r#" {"n":1,"xml":"<a/>"}"#] {
            assert_eq!(out_of_json(text.as_bytes()).as_deref(), Some(&b"<a/>"[..]));
        }
        for text in ["<a/>", "", "{", r#"{"n":1}"#, r#""a""#, "[]"] {
            assert_eq!(out_of_json(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_refused_login_has_a_form_of_its_own() {
        let of =
            |code: &str| format!("<retorno><msg>Acesso Negado!</msg><code>{code}</code></retorno>");
        let message = denial(of("401").as_bytes()).expect("a denial");
        assert_eq!(message.texto, "Acesso Negado!");
        assert!(denial(of("500").as_bytes()).is_none());
        assert!(denial(b"<html/>").is_none());
    }
}
