//! How a failure leaves: status, `X-Error-Code`, body. The only place where
//! errors become HTTP.

pub mod suggest;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base::errors::{Code, Failure, Refusal, body};
use std::sync::Arc;
use store::ids::RequestId;
use store::{DbError, TxError};

pub const ERROR_CODE: &str = "x-error-code";

/// A failure on its way out; the gate renders it, knowing the request.
#[derive(Clone)]
pub struct Carried(pub Arc<Failure>);

/// How an operation answers, or why it does not.
pub type ApiResult<T> = Result<T, ApiError>;

/// The failure of an operation, of anything below it that fails.
#[derive(Debug)]
pub struct ApiError(pub Failure);

macro_rules! fails_with {
    ($($cause:ty),* $(,)?) => {
        $(impl From<$cause> for ApiError {
            fn from(cause: $cause) -> ApiError {
                ApiError(cause.into())
            }
        })*
    };
}

fails_with!(
    Failure,
    Refusal,
    Box<Refusal>,
    anyhow::Error,
    DbError,
    serde_json::Error,
    TxError<Refusal>,
);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(Carried(Arc::new(self.0)));
        response
    }
}

/// The answer of a failure. `problem` asks for RFC 9457; `keyed`: the request had an
/// `Idempotency-Key`.
pub fn render(
    failure: &Failure,
    request_id: &RequestId,
    base_url: &str,
    problem: bool,
    keyed: bool,
) -> Response {
    let internal;
    let refusal = match failure {
        Failure::Refused(refusal) => refusal,
        Failure::Internal(error) => {
            // Logged once, here; the customer gets the id.
            tracing::error!(request.id = request_id.as_str(), error = %format!("{error:#}"), "request failed");
            internal = Box::new(Refusal::new(Code::ErroInterno));
            &internal
        }
    };
    let entry = refusal.code.entry();
    let mut members = body(refusal, request_id, base_url);
    if keyed && refusal.code == Code::ValidacaoPrevia {
        let hint = refusal.hint.as_deref().unwrap_or(entry.hint);
        members["dica"] = format!("{hint} A Idempotency-Key pode ser a mesma.").into();
    }
    if problem && let Some(members) = members.as_object_mut() {
        let title = entry.message.to_owned();
        members.insert(
            "type".to_owned(),
            format!("{base_url}/docs/erros#{}", entry.codigo).into(),
        );
        members.insert("title".to_owned(), title.into());
        members.insert("status".to_owned(), entry.status.into());
        members.insert("detail".to_owned(), members["mensagem"].clone());
        members.insert(
            "instance".to_owned(),
            format!("urn:hub:request:{request_id}").into(),
        );
    }
    let status = StatusCode::from_u16(entry.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, members.to_string()).into_response();
    let headers = response.headers_mut();
    let media = if problem {
        "application/problem+json"
    } else {
        "application/json"
    };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(ERROR_CODE, HeaderValue::from_static(entry.codigo));
    if let Some(seconds) = refusal.retry_after_s {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if entry.status == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
