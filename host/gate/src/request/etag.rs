//! The version of an emitter as `ETag`, and `If-Match` before a change.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use base::errors::{Code, Failure, Refusal};
use serde_json::{Value, json};

/// The answer with the version of the row it shows.
pub fn with(mut response: Response, version: i64) -> Response {
    if let Ok(value) = HeaderValue::from_str(&tag(version)) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response
}

/// Refuses a change to a row that is not the one the customer read. Without
/// `If-Match` the current row is changed.
///
/// # Errors
/// 412 `versao_desatualizada`.
pub fn check(headers: &HeaderMap, version: i64) -> Result<(), Failure> {
    let Some(given) = headers.get(header::IF_MATCH) else {
        return Ok(());
    };
    let current = tag(version);
    let matches = given.to_str().is_ok_and(|list| {
        list.split(',')
            .map(str::trim)
            .any(|one| one == "*" || one == current)
    });
    if matches {
        return Ok(());
    }
    Err(Refusal::new(Code::VersaoDesatualizada)
        .with("etag_atual", current)
        .into())
}

/// Schema of the header, for the documentation.
pub fn schema() -> Value {
    json!({ "type": "string", "pattern": "^(\\*|\"[0-9]+\")$" })
}

fn tag(version: i64) -> String {
    format!("\"{version}\"")
}
