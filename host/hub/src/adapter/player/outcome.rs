//! An outcome as `outcome.json` writes it.

use super::words;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flow::contract::{Documento, Failure, FailureReason, Mensagem, Outcome, SignError, Success};
use serde_json::{Map, Value, json};

/// Names the file that holds a document.
pub type FileOf<'a> = &'a dyn Fn(&[u8]) -> Result<String, String>;

/// # Errors
/// Those of `file_of`.
pub fn render(outcome: &Outcome, file_of: FileOf<'_>) -> Result<Value, String> {
    match outcome {
        Ok(done) => Ok(json!({ "success": success(done, file_of)? })),
        Err(failed) => Ok(json!({ "failure": failure(failed) })),
    }
}

fn success(success: &Success, file_of: FileOf<'_>) -> Result<Value, String> {
    let documentos: Result<Vec<Value>, String> = success
        .documentos
        .iter()
        .map(|one| documento(one, file_of))
        .collect();
    let content = success.conteudo.as_ref().map(|content| {
        let parsed: Value =
            serde_json::from_str(&content.json).unwrap_or_else(|_| content.json.clone().into());
        json!({ "schema": content.schema, "json": parsed })
    });
    Ok(json!({
        "situacao": words::status(success.situacao),
        "documentos": documentos?,
        "protocolo": success.protocolo,
        "mensagens": messages(&success.mensagens),
        "conteudo": content,
    }))
}

fn documento(documento: &Documento, file_of: FileOf<'_>) -> Result<Value, String> {
    let xml = match &documento.xml {
        Some(bytes) => Some(format!("file:{}", file_of(bytes)?)),
        None => None,
    };
    let values: Map<String, Value> = documento
        .valores
        .iter()
        .map(|value| (value.name.clone(), value.value.clone().into()))
        .collect();
    Ok(json!({
        "tipo": documento.tipo,
        "situacao": words::status(documento.situacao),
        "xml": xml,
        "numero": documento.numero,
        "serie": documento.serie,
        "chave": documento.chave,
        "codigo_verificacao": documento.codigo_verificacao,
        "protocolo": documento.protocolo,
        "emitido_em": documento.emitido_em,
        "url_consulta": documento.url_consulta,
        "valores": values,
    }))
}

fn failure(failure: &Failure) -> Value {
    let evidence = failure
        .evidence
        .as_deref()
        .map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => format!("base64:{}", STANDARD.encode(bytes)),
        });
    json!({
        "reason": reason(&failure.reason),
        "may_exist": failure.may_exist,
        "detail": failure.detail,
        "evidence": evidence,
    })
}

fn reason(reason: &FailureReason) -> Value {
    match reason {
        FailureReason::Transport(fault) => json!({ "transport": {
            "kind": words::transport_kind(fault.kind),
            "detail": fault.detail,
            "maybe_arrived": fault.maybe_arrived,
        }}),
        FailureReason::Rejected(list) => json!({ "rejected": messages(list) }),
        FailureReason::Credentials(list) => json!({ "credentials": messages(list) }),
        FailureReason::Unavailable(unavailable) => json!({ "unavailable": {
            "retry_after_ms": unavailable.retry_after_ms,
            "mensagens": messages(&unavailable.mensagens),
        }}),
        FailureReason::InvalidInput(fields) => {
            let fields = fields.iter().map(
                |field| json!({ "campo": field.campo, "regra": field.regra, "texto": field.texto }),
            );
            json!({ "invalid-input": fields.collect::<Vec<_>>() })
        }
        FailureReason::NotSupported(text) => json!({ "not-supported": text }),
        FailureReason::UnexpectedResponse(text) => json!({ "unexpected-response": text }),
        FailureReason::Other(text) => json!({ "other": text }),
        FailureReason::Signing(error) => json!({ "signing": signing(error) }),
    }
}

fn signing(error: &SignError) -> Value {
    match error {
        SignError::NoCertificate => json!("no-certificate"),
        SignError::Expired => json!("expired"),
        SignError::ReferenceNotFound(text) => json!({ "reference-not-found": text }),
        SignError::MalformedXml(text) => json!({ "malformed-xml": text }),
        SignError::Unsupported(text) => json!({ "unsupported": text }),
        SignError::Other(text) => json!({ "other": text }),
    }
}

fn messages(list: &[Mensagem]) -> Value {
    list.iter()
        .map(|one| json!({ "codigo": one.codigo, "texto": one.texto, "correcao": one.correcao, "campo": one.campo }))
        .collect()
}
