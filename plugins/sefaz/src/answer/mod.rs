//! Reading answers: what is there, and what it means.

pub mod cstat;
pub mod event;
pub mod protocol;

use crate::service::Servico;
use sdk::soap::{self, SoapError};
use sdk::xml::{self, Document, Element};
use sdk::{Failure, FailureReason, Mensagem, Response};

/// Longest text passed on, in characters: xMotivo has up to 255.
const MAX_TEXTO: usize = 2_000;

/// Code of ours for a front end that refuses who calls.
const PROIBIDO: &str = "403";

/// Whether a failure of [`abrir`] says that the message was not looked at: the
/// connection was refused or throttled. After a 403 nobody knows.
pub fn nao_olhada(falha: &Failure) -> bool {
    match &falha.reason {
        FailureReason::Credentials(_) => !proibida(falha),
        FailureReason::Unavailable(_) => true,
        _ => false,
    }
}

/// Whether who calls is refused: asking again at once changes nothing.
pub fn proibida(falha: &Failure) -> bool {
    matches!(&falha.reason, FailureReason::Credentials(mensagens) if mensagens.iter().any(|mensagem| mensagem.codigo == PROIBIDO))
}

/// A message of the layout, found in an answer.
pub struct Retorno {
    documento: Document,
    nome: &'static str,
}

/// The message that answers a service.
///
/// # Errors
/// Anything else: a page of a proxy, half a document, a fault. The failure
/// says what it is; whether the document may exist is the caller's to say.
pub fn abrir(resposta: &Response, servico: Servico) -> Result<Retorno, Failure> {
    match resposta.status {
        // nginx: the client certificate was bad (495) or missing (496).
        495 | 496 => {
            return Err(Failure::credentials(vec![Mensagem::new(
                "certificado",
                "A SEFAZ recusou o certificado na conexão.",
            )]));
        }
        // A front end refuses who calls; it may have passed the request on.
        403 => {
            return Err(Failure::credentials(vec![Mensagem::new(
                PROIBIDO,
                "A SEFAZ recusou o acesso (HTTP 403): não aceita o certificado apresentado ou o endereço de onde veio a chamada.",
            )])
            .with_evidence(&resposta.body));
        }
        // Not looked at.
        429 => {
            return Err(Failure::unavailable(
                resposta.retry_after_ms(),
                "a SEFAZ limitou os envios",
            ));
        }
        200..=299 => {}
        outro => {
            return Err(Failure::unexpected(
                &format!("HTTP {outro}"),
                &resposta.body,
            ));
        }
    }
    let nome = servico.retorno();
    // The usual answer has the message as nodes: looked at first, because
    // what is inside a text is a second copy of it.
    let documento = match xml::parse(&resposta.body) {
        Ok(documento) if documento.root().descendant(nome).is_some() => Ok(documento),
        Ok(_) => soap::unwrap(&resposta.body, &[nome]),
        Err(erro) => Err(SoapError::Xml(erro)),
    };
    documento
        .map(|documento| Retorno { documento, nome })
        .map_err(|erro| Failure::unexpected(&erro.to_string(), &resposta.body))
}

impl Retorno {
    pub fn raiz(&self) -> &Element {
        let raiz = self.documento.root();
        raiz.descendant(self.nome).unwrap_or(raiz)
    }

    /// An element of the answer as a document of its own, byte for byte.
    pub fn xml(&self, elemento: &Element) -> Vec<u8> {
        xml::standalone(&self.documento, elemento).into_bytes()
    }

    /// The whole answer, for support.
    pub fn texto(&self) -> &[u8] {
        self.documento.text().as_bytes()
    }
}

/// Text at a path, cut to what an answer may carry.
pub fn texto(elemento: &Element, caminho: &str) -> Option<String> {
    let texto = elemento.text_at(caminho)?;
    Some(texto.chars().take(MAX_TEXTO).collect())
}
