//! Answers on their way out.

use super::Door;
use crate::answers::{Answer, Asked, Told, refusal};
use crate::kind::Kind;
use api::inside::Reply;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base::errors::{self, Code, Failure, Refusal};
use store::ids::RequestId;

/// Headers of an operation's answer that are passed on.
const PASSED: [&str; 11] = [
    "x-request-id",
    "x-error-code",
    "retry-after",
    "x-credits-charged",
    "x-credits-balance",
    "x-simulador",
    "ratelimit-policy",
    "ratelimit",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];
/// Names that programs written for Focus NFe read the rate by.
const RATE: [(&str, &str); 3] = [
    ("x-ratelimit-limit", "rate-limit-limit"),
    ("x-ratelimit-remaining", "rate-limit-remaining"),
    ("x-ratelimit-reset", "rate-limit-reset"),
];

/// An answer with its headers.
#[derive(Debug)]
pub(super) struct Out {
    answer: Answer,
    /// Boxed, as most functions return it as their error.
    headers: Box<HeaderMap>,
}

impl Out {
    /// An answer that no operation gave.
    pub(super) fn own(door: &Door, answer: Answer) -> Out {
        Out::under(&RequestId::new(door.app.now_ms()), answer)
    }

    /// The same under an id that the request has already.
    fn under(id: &RequestId, answer: Answer) -> Out {
        let mut headers = HeaderMap::new();
        if let Ok(id) = HeaderValue::from_str(id) {
            headers.insert("x-request-id", id);
        }
        Out {
            answer,
            headers: Box::new(headers),
        }
    }

    /// A refusal that no operation gave.
    pub(super) fn error(door: &Door, status: u16, code: &str, message: &str) -> Out {
        Out::own(door, Answer::error(status, code, message))
    }

    /// What comes of an operation's answer.
    pub(super) fn of(reply: &Reply, answer: Answer) -> Out {
        let mut headers = HeaderMap::new();
        for name in PASSED {
            if let Some(value) = reply.headers.get(name) {
                headers.insert(HeaderName::from_static(name), value.clone());
            }
        }
        for (ours, theirs) in RATE {
            if let Some(value) = reply.headers.get(ours) {
                headers.insert(HeaderName::from_static(theirs), value.clone());
            }
        }
        Out {
            answer,
            headers: Box::new(headers),
        }
    }

    /// What comes of a refusal before any operation was asked.
    pub(super) fn failed(door: &Door, kind: Kind, failure: Failure) -> Out {
        let id = RequestId::new(door.app.now_ms());
        let refused = match failure {
            Failure::Refused(refused) => *refused,
            Failure::Internal(error) => {
                tracing::error!(request.id = %id, error = %format!("{error:#}"), "a call through a door failed");
                Refusal::new(Code::ErroInterno)
            }
        };
        let body = errors::body(&refused, &id, &door.app.config.server.base_url);
        let status = refused.code.status();
        let told = refusal(Asked::plain(kind), status, &body);
        let answer = match told {
            Told::Answer(answer) => answer,
            // Only an authority rejects.
            Told::Rejected(rejection) => Answer::error(status, &rejection.code, &rejection.reason),
        };
        let mut out = Out::under(&id, answer);
        let mut set = |name: &'static str, value: String| {
            if let Ok(value) = HeaderValue::from_str(&value) {
                out.headers.insert(HeaderName::from_static(name), value);
            }
        };
        set("x-error-code", refused.code.as_str().to_owned());
        if let Some(seconds) = refused.retry_after_s {
            set("retry-after", seconds.to_string());
        }
        out
    }
}

impl IntoResponse for Out {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.answer.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, self.answer.body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.extend(*self.headers);
        let json = HeaderValue::from_static("application/json; charset=utf-8");
        headers.insert(header::CONTENT_TYPE, json);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        if status == StatusCode::UNAUTHORIZED {
            let basic = HeaderValue::from_static("Basic realm=\"hub\"");
            headers.insert(header::WWW_AUTHENTICATE, basic);
        }
        response
    }
}
