//! Reads an HTTP answer into what it says, without judging it.

use super::Nota;
use crate::answer::isolate;
use crate::answer::messages::collect;
use crate::dates;
use crate::service::Service;
use sdk::soap::{self, Fault, SoapError};
use sdk::xml::{Document, Element};
use sdk::{Context, Documento, Mensagem, Response, Situacao};

/// Most notes read from one answer: the model's page has 50.
const MAX_NOTAS: usize = 50;

/// An answer.
#[derive(Debug)]
pub enum Reading {
    /// A message of the model.
    Content(Box<Content>),
    Fault(Fault),
    /// 401 or 403: the door, not the service, said no.
    Barred,
    /// 429: too many requests, nothing was processed.
    Throttled(Option<u64>),
    /// Anything else: a page, half a document, another message, 5xx.
    Illegible(&'static str),
}

/// What a message of the model says.
#[derive(Debug, Default)]
pub struct Content {
    pub notas: Vec<Nota>,
    /// The note that a substitution replaced.
    pub replaced: Option<Nota>,
    /// The confirmation of a cancellation.
    pub cancelamento: Option<Documento>,
    pub protocol: Option<String>,
    /// `Situacao` of a batch: 1 not received, 2 not processed, 3 processed
    /// with errors, 4 processed.
    pub status: Option<u8>,
    /// A list of notes that is there and empty.
    pub empty_list: bool,
    pub messages: Vec<Mensagem>,
    pub alertas: Vec<Mensagem>,
}

/// Reads the answer to a request of this service.
pub fn read(response: &Response, service: Service, ctx: &Context) -> Reading {
    match response.status {
        429 => return Reading::Throttled(response.retry_after_ms()),
        401 | 403 => return Reading::Barred,
        _ => {}
    }
    let response_name = service.response();
    // Some systems leave the root out (a bare ListaMensagemRetorno).
    let expected_ones = [
        response_name.as_str(),
        "ListaNfse",
        "CompNfse",
        "ListaMensagemRetorno",
        "ListaMensagemRetornoLote",
        "MensagemRetorno",
    ];
    let document = match soap::unwrap(&response.body, &expected_ones) {
        Ok(document) => document,
        Err(SoapError::Fault(fault)) => return Reading::Fault(fault),
        Err(SoapError::Xml(_)) => return Reading::Illegible("a resposta nao e XML"),
        Err(SoapError::NotFound) => {
            return Reading::Illegible("a resposta nao tem a mensagem esperada");
        }
    };
    let root = document.root();
    let element = root.descendant(&response_name).unwrap_or(root);
    let content = content(&document, element, ctx);
    // Behind a 5xx only a note itself is believed: a proxy or a half-dead
    // service may answer with messages of its own.
    if !response.is_success() && content.notas.is_empty() {
        return Reading::Illegible("codigo HTTP de erro");
    }
    Reading::Content(Box::new(content))
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
        .filter_map(|element| Nota::read(document, element, ctx))
        .collect()
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
