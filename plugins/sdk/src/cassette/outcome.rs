//! `outcome.json`: an outcome as JSON.

use crate::b64;
use crate::bindings::control::{
    Documento, Failure, FailureReason, Mensagem, Outcome, SignError, Situacao, Success,
    TransportFault, TransportKind,
};
use serde_json::{Map, Value, json};

/// The WIT spelling of each transport kind.
const TRANSPORT_KINDS: [(TransportKind, &str); 9] = [
    (TransportKind::Dns, "dns"),
    (TransportKind::Connect, "connect"),
    (TransportKind::Tls, "tls"),
    (
        TransportKind::ClientCertificateRefused,
        "client-certificate-refused",
    ),
    (TransportKind::Timeout, "timeout"),
    (TransportKind::Reset, "reset"),
    (TransportKind::TooLarge, "too-large"),
    (TransportKind::Blocked, "blocked"),
    (TransportKind::Other, "other"),
];

/// The kind a case writes so.
pub fn transport_kind(word: &str) -> Option<TransportKind> {
    let mut kinds = TRANSPORT_KINDS.iter();
    kinds
        .find(|(_, known)| *known == word)
        .map(|(kind, _)| *kind)
}

/// `file_of` names the file that holds a document's bytes.
///
/// # Errors
/// Those of `file_of`.
pub fn render(
    outcome: &Outcome,
    file_of: impl FnMut(&[u8]) -> Result<String, String>,
) -> Result<Value, String> {
    Ok(match outcome {
        Ok(success) => json!({ "success": success_json(success, file_of)? }),
        Err(failure) => json!({ "failure": failure_json(failure) }),
    })
}

fn success_json(
    success: &Success,
    mut file_of: impl FnMut(&[u8]) -> Result<String, String>,
) -> Result<Value, String> {
    let documentos: Result<Vec<Value>, String> = success
        .documentos
        .iter()
        .map(|documento| documento_json(documento, &mut file_of))
        .collect();
    let content = success.conteudo.as_ref().map(|content| {
        let parsed = serde_json::from_str(&content.json)
            .unwrap_or_else(|_| Value::String(content.json.clone()));
        json!({ "schema": content.schema, "json": parsed })
    });
    Ok(json!({
        "situacao": status(success.situacao),
        "documentos": documentos?,
        "protocolo": success.protocolo,
        "mensagens": messages(&success.mensagens),
        "conteudo": content,
    }))
}

fn documento_json(
    documento: &Documento,
    file_of: &mut impl FnMut(&[u8]) -> Result<String, String>,
) -> Result<Value, String> {
    let xml = documento
        .xml
        .as_deref()
        .map(file_of)
        .transpose()?
        .map(|name| format!("file:{name}"));
    let values: Map<String, Value> = documento
        .valores
        .iter()
        .map(|value| (value.name.clone(), Value::String(value.value.clone())))
        .collect();
    Ok(json!({
        "tipo": documento.tipo,
        "situacao": status(documento.situacao),
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

fn failure_json(failure: &Failure) -> Value {
    let evidence = failure
        .evidence
        .as_ref()
        .map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => format!("base64:{}", b64::encode(bytes)),
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
        FailureReason::Transport(fault) => json!({ "transport": transport(fault) }),
        FailureReason::Rejected(list) => json!({ "rejected": messages(list) }),
        FailureReason::Unavailable(unavailable) => json!({ "unavailable": {
            "retry_after_ms": unavailable.retry_after_ms,
            "mensagens": messages(&unavailable.mensagens),
        }}),
        FailureReason::InvalidInput(fields) => {
            let fields: Vec<Value> = fields
                .iter()
                .map(|field| json!({ "campo": field.campo, "regra": field.regra, "texto": field.texto }))
                .collect();
            json!({ "invalid-input": fields })
        }
        FailureReason::NotSupported(text) => json!({ "not-supported": text }),
        FailureReason::Credentials(list) => json!({ "credentials": messages(list) }),
        FailureReason::UnexpectedResponse(text) => json!({ "unexpected-response": text }),
        FailureReason::Signing(error) => json!({ "signing": sign_error(error) }),
        FailureReason::Other(text) => json!({ "other": text }),
    }
}

fn transport(fault: &TransportFault) -> Value {
    let kind = TRANSPORT_KINDS
        .iter()
        .find(|(kind, _)| *kind == fault.kind)
        .map_or("other", |(_, name)| name);
    json!({ "kind": kind, "detail": fault.detail, "maybe_arrived": fault.maybe_arrived })
}

fn sign_error(error: &SignError) -> Value {
    match error {
        SignError::NoCertificate => json!("no-certificate"),
        SignError::Expired => json!("expired"),
        SignError::ReferenceNotFound(text) => json!({ "reference-not-found": text }),
        SignError::MalformedXml(text) => json!({ "malformed-xml": text }),
        SignError::Unsupported(text) => json!({ "unsupported": text }),
        SignError::Other(text) => json!({ "other": text }),
    }
}

fn messages(list: &[Mensagem]) -> Vec<Value> {
    list.iter()
        .map(|message| {
            json!({
                "codigo": message.codigo,
                "texto": message.texto,
                "correcao": message.correcao,
                "campo": message.campo,
            })
        })
        .collect()
}

fn status(status: Situacao) -> &'static str {
    match status {
        Situacao::Autorizado => "autorizado",
        Situacao::EmProcessamento => "em-processamento",
        Situacao::Cancelado => "cancelado",
        Situacao::Substituido => "substituido",
        Situacao::Denegado => "denegado",
        Situacao::Inutilizado => "inutilizado",
        Situacao::NaoEncontrado => "nao-encontrado",
        Situacao::EmOperacao => "em-operacao",
        Situacao::Consultado => "consultado",
    }
}
