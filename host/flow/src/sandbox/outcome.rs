//! What an adapter may say at the end of a flow: bounded, and backed by an
//! answer.
//!
//! The host cannot know whether an adapter reads an authority's answer
//! right. It does know whether there was an answer at all.

use super::error::StepError;
use crate::contract::{
    Documento, Event, Failure, FailureReason, Mensagem, Named, Outcome, Success,
};
use crate::json;
use crate::limits::Limits;

/// Documents of one outcome: a batch has 50.
const DOCUMENTS: usize = 64;
/// Messages and field errors kept of an outcome, and characters of each text.
const MESSAGES: usize = 100;
const TEXT_CHARS: usize = 2_000;
/// Bytes kept of an answer for support.
const EVIDENCE_BYTES: usize = 16 << 10;
/// Characters of a number, key, protocol or amount.
const FIELD_CHARS: usize = 200;
/// Characters of an address.
const URL_CHARS: usize = 2_000;
/// Nesting of the structured answer.
const CONTENT_DEPTH: usize = 64;
/// Amounts of one document.
const AMOUNTS: usize = 64;

/// Holds an outcome to the limits: what is only read by people is cut, a
/// document that does not fit is refused.
pub(crate) fn bounded(outcome: Outcome, limits: &Limits) -> Result<Outcome, StepError> {
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
        FailureReason::Signing(error) => FailureReason::Signing(error),
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

/// The authority's words go through as they are, but not without end.
fn cut(text: String) -> String {
    match text.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

fn bad(reason: String) -> StepError {
    StepError::BadOutcome(reason)
}

/// What the flow has seen when its adapter says that it is over.
pub(crate) struct Seen<'a> {
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
pub(crate) fn backed(outcome: Outcome, seen: &Seen<'_>) -> Result<Outcome, StepError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Conteudo, HttpResponse, Situacao, TransportFault, TransportKind};

    fn success() -> Success {
        Success {
            situacao: Situacao::Autorizado,
            documentos: Vec::new(),
            protocolo: None,
            mensagens: Vec::new(),
            conteudo: None,
        }
    }

    fn refused() -> Failure {
        let message = Mensagem {
            codigo: "E1".to_owned(),
            texto: "é".repeat(5_000),
            correcao: None,
            campo: None,
        };
        Failure {
            reason: FailureReason::Rejected(vec![message; 500]),
            may_exist: false,
            detail: String::new(),
            evidence: Some(vec![0; 1 << 20]),
        }
    }

    fn documento() -> Documento {
        Documento {
            tipo: "nfse".to_owned(),
            situacao: Situacao::Autorizado,
            xml: None,
            numero: Some("1".to_owned()),
            serie: None,
            chave: None,
            codigo_verificacao: None,
            protocolo: None,
            emitido_em: None,
            url_consulta: None,
            valores: Vec::new(),
        }
    }

    #[test]
    fn texts_are_cut_and_documents_refused() {
        let limits = Limits {
            response_bytes: 1_000,
            ..Limits::default()
        };
        let Ok(Err(failure)) = bounded(Err(refused()), &limits) else {
            panic!("a failure stays one")
        };
        let FailureReason::Rejected(messages) = &failure.reason else {
            panic!("{:?}", failure.reason)
        };
        assert_eq!(
            (messages.len(), messages[0].texto.chars().count()),
            (MESSAGES, TEXT_CHARS)
        );
        assert_eq!(
            failure.evidence.map(|evidence| evidence.len()),
            Some(EVIDENCE_BYTES)
        );

        let with = |documento: Documento| {
            bounded(
                Ok(Success {
                    documentos: vec![documento],
                    ..success()
                }),
                &limits,
            )
        };
        assert!(with(documento()).is_ok());
        assert!(
            with(Documento {
                xml: Some(vec![b'<'; 1_000]),
                ..documento()
            })
            .is_ok()
        );
        for wrong in [
            Documento {
                xml: Some(vec![b'<'; 1_001]),
                ..documento()
            },
            Documento {
                chave: Some("1\n2".to_owned()),
                ..documento()
            },
            Documento {
                numero: Some("9".repeat(FIELD_CHARS + 1)),
                ..documento()
            },
            Documento {
                url_consulta: Some("https://a.example/\u{0}".to_owned()),
                ..documento()
            },
            Documento {
                valores: vec![
                    Named {
                        name: "iss".to_owned(),
                        value: "1".to_owned()
                    };
                    AMOUNTS + 1
                ],
                ..documento()
            },
        ] {
            assert!(
                matches!(with(wrong.clone()), Err(StepError::BadOutcome(_))),
                "{wrong:?}"
            );
        }
        let content = |json: &str| {
            let document = Conteudo {
                schema: "psp.cobranca".to_owned(),
                json: json.to_owned(),
            };
            let document = Some(document);
            bounded(
                Ok(Success {
                    conteudo: document,
                    ..success()
                }),
                &limits,
            )
        };
        assert!(content(r#"{"a":[{"b":1}]}"#).is_ok());
        for wrong in [
            "[".repeat(CONTENT_DEPTH + 1),
            r#"{"\u0024serde_json::private::RawValue":"1"}"#.to_owned(),
        ] {
            assert!(
                matches!(content(&wrong), Err(StepError::BadOutcome(_))),
                "{wrong}"
            );
        }
        let many = Success {
            documentos: vec![documento(); DOCUMENTS + 1],
            ..success()
        };
        assert!(bounded(Ok(many), &limits).is_err());
    }

    #[test]
    fn a_yes_or_a_no_needs_an_answer() {
        let response = Event::Response(HttpResponse {
            status: 200,
            headers: Vec::new(),
            body: Vec::new(),
        });
        let cut = Event::NoResponse(TransportFault {
            kind: TransportKind::Reset,
            detail: String::new(),
            maybe_arrived: true,
        });
        let seen = |acted, answered, last| Seen {
            acted,
            answered,
            last,
        };
        assert!(backed(Ok(success()), &seen(false, false, None)).is_err());
        assert!(backed(Ok(success()), &seen(true, false, Some(&Event::Elapsed))).is_err());
        assert!(backed(Ok(success()), &seen(true, true, Some(&response))).is_ok());
        let may_exist = |acted, last| {
            let outcome =
                backed(Err(refused()), &seen(acted, false, last)).expect("a failure stays one");
            outcome.expect_err("a failure stays one").may_exist
        };
        assert!(may_exist(true, Some(&cut)));
        assert!(may_exist(true, Some(&Event::Elapsed)));
        assert!(!may_exist(true, Some(&response)));
        assert!(!may_exist(false, Some(&cut)));
        assert!(!may_exist(false, None));
    }
}
