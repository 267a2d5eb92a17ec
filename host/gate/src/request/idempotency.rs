//! `Idempotency-Key`, from the header or the body.

use super::body::fingerprint;
use crate::call::Call;
use axum::http::HeaderMap;
use base::errors::{Code, Failure, Refusal};
use serde_json::Value;
use store::tables::idempotency::Scope;

/// The key of a request with the fingerprint of its body; takes the field
/// `idempotency_key` out of the body.
///
/// # Errors
/// 400 when header and body differ or the key is not 1 to 255 visible ASCII
/// characters.
pub fn key(
    call: &Call,
    headers: &HeaderMap,
    body: &mut Value,
) -> Result<Option<(Scope, String)>, Failure> {
    let field = body
        .as_object_mut()
        .and_then(|members| members.remove("idempotency_key"));
    let field = match field {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(_) => {
            return Err(Refusal::field(
                Code::ParametroInvalido,
                "idempotency_key",
                "A chave deve ser texto.",
                "Envie de 1 a 255 caracteres.",
            )
            .into());
        }
    };
    if headers.get_all("idempotency-key").iter().count() > 1 {
        return Err(Refusal::new(Code::IdempotenciaDivergente).into());
    }
    let header = headers
        .get("idempotency-key")
        .map(|value| value.to_str().unwrap_or("\u{0}"));
    // The header is a structured string: with and without quotes is one key.
    let header = header.map(|text| {
        text.trim()
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .unwrap_or(text.trim())
    });
    let key = match (header, field) {
        (Some(header), Some(field)) if header != field => {
            return Err(Refusal::new(Code::IdempotenciaDivergente).into());
        }
        (Some(header), _) => header.to_owned(),
        (None, Some(field)) => field,
        (None, None) => return Ok(None),
    };
    if key.is_empty() || key.len() > 255 || !key.bytes().all(|byte| (0x21..0x7f).contains(&byte)) {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "Idempotency-Key",
            "Chave inválida.",
            "Use de 1 a 255 caracteres ASCII visíveis.",
        )
        .into());
    }
    let scope = Scope {
        account_id: call.caller.account_id.clone(),
        kind: call.caller.kind.into(),
        route: format!("{} {}", call.operation.method, call.operation.path),
        key,
    };
    Ok(Some((scope, fingerprint(body))))
}
