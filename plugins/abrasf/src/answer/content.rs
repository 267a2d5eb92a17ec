//! Reads an HTTP answer into what it says, without judging it.

use super::Nota;
use crate::answer::isolate;
use crate::answer::messages::colher;
use crate::dates;
use crate::service::Servico;
use sdk::soap::{self, Fault, SoapError};
use sdk::xml::{Document, Element};
use sdk::{Context, Documento, Mensagem, Response, Situacao};

/// Most notes read from one answer: the model's page has 50.
const MAX_NOTAS: usize = 50;

/// An answer.
#[derive(Debug)]
pub enum Leitura {
    /// A message of the model.
    Conteudo(Box<Conteudo>),
    Fault(Fault),
    /// 401 or 403: the door, not the service, said no.
    Barrada,
    /// 429: too many requests, nothing was processed.
    Contida(Option<u64>),
    /// Anything else: a page, half a document, another message, 5xx.
    Ilegivel(&'static str),
}

/// What a message of the model says.
#[derive(Debug, Default)]
pub struct Conteudo {
    pub notas: Vec<Nota>,
    /// The note that a substitution replaced.
    pub substituida: Option<Nota>,
    /// The confirmation of a cancellation.
    pub cancelamento: Option<Documento>,
    pub protocolo: Option<String>,
    /// `Situacao` of a batch: 1 not received, 2 not processed, 3 processed
    /// with errors, 4 processed.
    pub situacao: Option<u8>,
    /// A list of notes that is there and empty.
    pub lista_vazia: bool,
    pub mensagens: Vec<Mensagem>,
    pub alertas: Vec<Mensagem>,
}

/// Reads the answer to a request of this service.
pub fn ler(resposta: &Response, servico: Servico, ctx: &Context) -> Leitura {
    match resposta.status {
        429 => return Leitura::Contida(resposta.retry_after_ms()),
        401 | 403 => return Leitura::Barrada,
        _ => {}
    }
    let raiz = servico.resposta();
    // Some systems leave the root out (a bare ListaMensagemRetorno).
    let esperadas = [
        raiz.as_str(),
        "ListaNfse",
        "CompNfse",
        "ListaMensagemRetorno",
        "ListaMensagemRetornoLote",
        "MensagemRetorno",
    ];
    let document = match soap::unwrap(&resposta.body, &esperadas) {
        Ok(document) => document,
        Err(SoapError::Fault(fault)) => return Leitura::Fault(fault),
        Err(SoapError::Xml(_)) => return Leitura::Ilegivel("a resposta nao e XML"),
        Err(SoapError::NotFound) => {
            return Leitura::Ilegivel("a resposta nao tem a mensagem esperada");
        }
    };
    let root = document.root();
    let elemento = root.descendant(&raiz).unwrap_or(root);
    let conteudo = conteudo(&document, elemento, ctx);
    // Behind a 5xx only a note itself is believed: a proxy or a half-dead
    // service may answer with messages of its own.
    if !resposta.is_success() && conteudo.notas.is_empty() {
        return Leitura::Ilegivel("codigo HTTP de erro");
    }
    Leitura::Conteudo(Box::new(conteudo))
}

fn conteudo(document: &Document, raiz: &Element, ctx: &Context) -> Conteudo {
    let (mensagens, alertas) = colher(raiz);
    let nota_em = |elemento: &Element| notas(document, elemento, ctx).into_iter().next();
    let substituidora = raiz
        .descendant("NfseSubstituidora")
        .filter(|e| !e.children().is_empty());
    let (notas, substituida) = match substituidora {
        Some(elemento) => (
            notas(document, elemento, ctx),
            raiz.find("RetSubstituicao/NfseSubstituida")
                .and_then(nota_em),
        ),
        None => (notas(document, raiz, ctx), None),
    };
    let lista = raiz.descendant("ListaNfse");
    Conteudo {
        cancelamento: cancelamento(document, raiz, ctx),
        protocolo: texto(raiz, "Protocolo"),
        situacao: raiz
            .text_at("Situacao")
            .and_then(|texto| texto.parse().ok()),
        lista_vazia: notas.is_empty()
            && mensagens.is_empty()
            && lista.is_some_and(|lista| lista.children().is_empty()),
        notas,
        substituida,
        mensagens,
        alertas,
    }
}

fn texto(raiz: &Element, nome: &str) -> Option<String> {
    let texto = raiz.text_at(nome)?;
    (texto.len() <= 50).then(|| texto.to_owned())
}

/// Every note: `CompNfse` (some write `ComplNfse`), else `Nfse` alone.
fn notas(document: &Document, raiz: &Element, ctx: &Context) -> Vec<Nota> {
    ["CompNfse", "ComplNfse", "Nfse"]
        .iter()
        .map(|nome| raiz.descendants(nome))
        .find(|achadas| !achadas.is_empty())
        .unwrap_or_default()
        .into_iter()
        .take(MAX_NOTAS)
        .filter_map(|elemento| Nota::ler(document, elemento, ctx))
        .collect()
}

/// The confirmation, outside of any note: a date in `Confirmacao`, and no
/// `Sucesso` that is not true (an old dialect answers "false" with a date).
fn cancelamento(document: &Document, raiz: &Element, ctx: &Context) -> Option<Documento> {
    let ret = ["RetCancelamento", "Cancelamento"]
        .iter()
        .find_map(|nome| raiz.child(nome))?;
    let confirmacao = ret.descendant("Confirmacao")?;
    let data = ["DataHora", "DataHoraCancelamento"]
        .iter()
        .find_map(|nome| confirmacao.descendant(nome))
        .map(Element::text)
        .filter(|texto| !texto.is_empty())?;
    let negado = confirmacao
        .descendant("Sucesso")
        .is_some_and(|sucesso| !sucesso.text().eq_ignore_ascii_case("true"));
    if negado {
        return None;
    }
    let mut evento = Documento::new("evento", Situacao::Cancelado);
    evento.xml = Some(isolate(document, ret).into_bytes());
    evento.numero = confirmacao
        .descendant("IdentificacaoNfse")
        .and_then(|nota| nota.text_at("Numero"))
        .map(str::to_owned);
    evento.emitido_em = dates::momento(data, ctx);
    Some(evento)
}
