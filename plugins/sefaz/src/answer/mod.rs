//! Reading answers: what is there, and what it means.

pub mod cstat;
pub mod event;
pub mod protocol;

use crate::family::Family;
use sdk::soap::{self, SoapError};
use sdk::xml::{self, Document, Element, Inherited};
use sdk::{Failure, FailureReason, Mensagem, Response};

/// Longest text passed on, in characters: xMotivo has up to 255.
const MAX_TEXT: usize = 2_000;

/// Code of ours for a front end that refuses who calls.
const FORBIDDEN: &str = "403";

/// Whether a failure of [`open`] says that the message was not looked at: the
/// connection was refused or throttled. After a 403 nobody knows.
pub fn not_looked_at(failure: &Failure) -> bool {
    match &failure.reason {
        FailureReason::Credentials(_) => !forbidden(failure),
        FailureReason::Unavailable(_) => true,
        _ => false,
    }
}

/// Whether who calls is refused: asking again at once changes nothing.
pub fn forbidden(failure: &Failure) -> bool {
    matches!(&failure.reason, FailureReason::Credentials(messages) if messages.iter().any(|message| message.codigo == FORBIDDEN))
}

/// A message of the layout, found in an answer.
pub struct Answer {
    documento: Document,
    name: &'static str,
    /// The family it speaks of.
    pub family: &'static Family,
}

/// The message of this name in an answer.
///
/// # Errors
/// Anything else: a page of a proxy, half a document, a fault. The failure
/// says what it is; whether the document may exist is the caller's to say.
pub fn open(
    response: &Response,
    family: &'static Family,
    name: &'static str,
) -> Result<Answer, Failure> {
    match response.status {
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
                FORBIDDEN,
                "A SEFAZ recusou o acesso (HTTP 403): não aceita o certificado apresentado ou o endereço de onde veio a chamada.",
            )])
            .with_evidence(&response.body));
        }
        // Not looked at.
        429 => {
            return Err(Failure::unavailable(
                response.retry_after_ms(),
                "a SEFAZ limitou os envios",
            ));
        }
        200..=299 => {}
        other => {
            return Err(Failure::unexpected(
                &format!("HTTP {other}"),
                &response.body,
            ));
        }
    }
    // The usual answer has the message as nodes: looked at first, because
    // what is inside a text is a second copy of it.
    let documento = match xml::parse(&response.body) {
        Ok(documento) if documento.root().descendant(name).is_some() => Ok(documento),
        Ok(_) => soap::unwrap(&response.body, &[name]),
        Err(error) => Err(SoapError::Xml(error)),
    };
    documento
        .map(|documento| Answer {
            documento,
            name,
            family,
        })
        .map_err(|error| Failure::unexpected(&error.to_string(), &response.body))
}

impl Answer {
    pub fn root(&self) -> &Element {
        let root = self.documento.root();
        root.descendant(self.name).unwrap_or(root)
    }

    /// An element of the answer as a document of its own, byte for byte.
    pub fn xml(&self, element: &Element) -> Vec<u8> {
        xml::standalone(&self.documento, element, Inherited::Used).into_bytes()
    }

    /// The whole answer, for support.
    pub fn text(&self) -> &[u8] {
        self.documento.text().as_bytes()
    }
}

/// Text at a path, cut to what an answer may carry.
pub fn text(element: &Element, caminho: &str) -> Option<String> {
    let text = element.text_at(caminho)?;
    Some(text.chars().take(MAX_TEXT).collect())
}
