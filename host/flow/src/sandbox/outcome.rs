//! What an adapter may say at the end of a flow: bounded, and backed by an
//! answer.
//!
//! The host cannot know whether an adapter reads an authority's answer
//! right. It does know whether there was an answer at all.

use super::error::StepError;
use crate::contract::{
    Documento, Event, Failure, FailureReason, Mensagem, Named, Outcome, SignError, Success,
};
use crate::json;
use crate::limits::Limits;

/// Documents of one outcome: a batch has 50.
pub const DOCUMENTS: usize = 64;
/// Messages and field errors kept of an outcome.
pub const MESSAGES: usize = 100;
/// Characters kept of each text of an outcome.
pub const TEXT_CHARS: usize = 2_000;
/// Bytes kept of an answer for support.
pub const EVIDENCE_BYTES: usize = 16 << 10;
/// Bytes of a number, key, protocol or amount.
pub const FIELD_CHARS: usize = 200;
/// Characters of an address.
const URL_CHARS: usize = 2_000;
/// Nesting of the structured answer.
pub const CONTENT_DEPTH: usize = 64;
/// Amounts of one document.
pub const AMOUNTS: usize = 64;

/// Holds an outcome to the limits: what is only read by people is cut, a
/// document that does not fit is refused.
///
/// # Errors
/// [`StepError::BadOutcome`]: documents, content or fields are too many, too
/// large or not plain.
pub fn bounded(outcome: Outcome, limits: &Limits) -> Result<Outcome, StepError> {
    match outcome {
        Ok(success) => bounded_success(success, limits).map(Ok),
        Err(failure) => Ok(Err(bounded_failure(failure))),
    }
}

fn bounded_success(mut success: Success, limits: &Limits) -> Result<Success, StepError> {
    if success.documentos.len() > DOCUMENTS {
        return Err(bad(format!(
            "{} documents, the limit is {DOCUMENTS}",
            success.documentos.len()
        )));
    }
    let xml_bytes: usize = success
        .documentos
        .iter()
        .filter_map(|documento| documento.xml.as_ref())
        .map(Vec::len)
        .sum();
    let json_bytes = success
        .conteudo
        .as_ref()
        .map_or(0, |content| content.json.len());
    if xml_bytes > limits.response_bytes || json_bytes > limits.response_bytes {
        return Err(bad(format!(
            "{} bytes of documents, the limit is {}",
            xml_bytes.max(json_bytes),
            limits.response_bytes
        )));
    }
    if let Some(content) = &success.conteudo {
        if content.schema.len() > FIELD_CHARS {
            return Err(bad("name of the schema".to_owned()));
        }
        if let Err(fault) = json::look(content.json.as_bytes(), CONTENT_DEPTH) {
            return Err(bad(format!("content that is not to be parsed: {fault:?}")));
        }
    }
    for documento in &success.documentos {
        check_document(documento)?;
    }
    if !success.protocolo.as_deref().is_none_or(field) {
        return Err(bad("protocolo".to_owned()));
    }
    success.mensagens = messages(success.mensagens);
    Ok(success)
}

fn check_document(documento: &Documento) -> Result<(), StepError> {
    let fields = [
        ("tipo", Some(&documento.tipo)),
        ("numero", documento.numero.as_ref()),
        ("serie", documento.serie.as_ref()),
        ("chave", documento.chave.as_ref()),
        ("codigo-verificacao", documento.codigo_verificacao.as_ref()),
        ("protocolo", documento.protocolo.as_ref()),
        ("emitido-em", documento.emitido_em.as_ref()),
    ];
    if let Some((name, _)) = fields
        .iter()
        .find(|(_, value)| value.is_some_and(|value| !field(value)))
    {
        return Err(bad(format!("{name} of a document")));
    }
    let url = documento.url_consulta.as_deref().unwrap_or_default();
    if url.len() > URL_CHARS || url.chars().any(char::is_control) {
        return Err(bad("url-consulta of a document".to_owned()));
    }
    let amount = |named: &Named| field(&named.name) && field(&named.value);
    if documento.valores.len() > AMOUNTS || !documento.valores.iter().all(amount) {
        return Err(bad("valores of a document".to_owned()));
    }
    Ok(())
}

fn field(text: &str) -> bool {
    text.len() <= FIELD_CHARS && !text.chars().any(char::is_control)
}

fn bounded_failure(mut failure: Failure) -> Failure {
    failure.detail = cut(failure.detail);
    failure.evidence = failure.evidence.map(|mut evidence| {
        evidence.truncate(EVIDENCE_BYTES);
        evidence
    });
    failure.reason = match failure.reason {
        FailureReason::Transport(mut fault) => {
            fault.detail = cut(fault.detail);
            FailureReason::Transport(fault)
        }
        FailureReason::Rejected(said) => FailureReason::Rejected(messages(said)),
        FailureReason::Credentials(said) => FailureReason::Credentials(messages(said)),
        FailureReason::Unavailable(mut unavailable) => {
            unavailable.mensagens = messages(unavailable.mensagens);
            FailureReason::Unavailable(unavailable)
        }
        FailureReason::InvalidInput(mut errors) => {
            errors.truncate(MESSAGES);
            for error in &mut errors {
                error.campo = cut(std::mem::take(&mut error.campo));
                error.regra = cut(std::mem::take(&mut error.regra));
                error.texto = cut(std::mem::take(&mut error.texto));
            }
            FailureReason::InvalidInput(errors)
        }
        FailureReason::NotSupported(what) => FailureReason::NotSupported(cut(what)),
        FailureReason::UnexpectedResponse(what) => FailureReason::UnexpectedResponse(cut(what)),
        FailureReason::Signing(error) => FailureReason::Signing(match error {
            SignError::ReferenceNotFound(what) => SignError::ReferenceNotFound(cut(what)),
            SignError::MalformedXml(what) => SignError::MalformedXml(cut(what)),
            SignError::Unsupported(what) => SignError::Unsupported(cut(what)),
            SignError::Other(what) => SignError::Other(cut(what)),
            plain @ (SignError::NoCertificate | SignError::Expired) => plain,
        }),
        FailureReason::Other(what) => FailureReason::Other(cut(what)),
    };
    failure
}

fn messages(mut messages: Vec<Mensagem>) -> Vec<Mensagem> {
    messages.truncate(MESSAGES);
    let short = |message: Mensagem| Mensagem {
        codigo: cut(message.codigo),
        texto: cut(message.texto),
        correcao: message.correcao.map(cut),
        campo: message.campo.map(cut),
    };
    messages.into_iter().map(short).collect()
}

/// The authority's words go through as they are, but not without end, and without
/// what a reader does not see: control characters, and those that turn the direction
/// of what follows.
fn cut(mut text: String) -> String {
    text.retain(|c| !hidden(c));
    match text.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

fn hidden(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() && !matches!(c, '\n' | '\t')
}

fn bad(reason: String) -> StepError {
    StepError::BadOutcome(reason)
}

/// What the flow has seen when its adapter says that it is over.
pub struct Seen<'a> {
    /// Something that changes may have arrived at the authority.
    pub acted: bool,
    /// An answer of the authority came in this run.
    pub answered: bool,
    /// What the adapter was resumed with.
    pub last: Option<&'a Event>,
}

/// Only an answer makes a yes or a no: a success that nobody answered is a
/// broken adapter, and after something may have arrived a no without an
/// answer is "not known".
///
/// # Errors
/// [`StepError::BadOutcome`]: a success that nobody answered.
pub fn backed(outcome: Outcome, seen: &Seen<'_>) -> Result<Outcome, StepError> {
    match outcome {
        Ok(_) if !seen.answered => Err(bad("success, but no authority answered".to_owned())),
        Err(failure)
            if seen.acted
                && !failure.may_exist
                && !matches!(seen.last, Some(Event::Response(_))) =>
        {
            Ok(Err(Failure {
                may_exist: true,
                ..failure
            }))
        }
        outcome => Ok(outcome),
    }
}
