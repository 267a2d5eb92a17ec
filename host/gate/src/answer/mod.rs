//! Successful answers. The type of a handler's answer is also what the document
//! says of it (`docs::Docs::success`, `docs::Docs::plain`).

pub mod refusal;

use crate::call::Call;
use crate::error::ApiResult;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
pub use issuing::answer::Success;
use serde::Serialize;
use std::marker::PhantomData;

/// An answer whose JSON body is a `B`, with its status and headers.
#[derive(Debug)]
pub struct Answer<B> {
    response: Response,
    body: PhantomData<fn() -> B>,
}

/// What the handler of an operation returns.
pub type ApiAnswer<T> = ApiResult<Answer<Success<T>>>;

impl<B> Answer<B> {
    /// A body that is text already: an answer that was stored.
    pub fn text(status: u16, body: String) -> Answer<B> {
        Answer::bytes(status, body.into())
    }

    fn bytes(status: u16, body: Body) -> Answer<B> {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, body).into_response();
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        let body = PhantomData;
        Answer { response, body }
    }

    /// A success with another body than `B`: a file, a redirect, no body, or
    /// the body of another status.
    pub fn other(response: impl IntoResponse) -> Answer<B> {
        Answer {
            response: response.into_response(),
            body: PhantomData,
        }
    }

    /// Sets a header; a value that cannot stand in one is left out.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Answer<B> {
        if let Ok(value) = HeaderValue::from_str(value) {
            let name = HeaderName::from_static(name);
            self.response.headers_mut().insert(name, value);
        }
        self
    }

    /// Says what the call cost and left, in credits.
    #[must_use]
    pub fn charged(self, debited: i64, balance: i64) -> Answer<B> {
        self.header("x-credits-charged", &debited.to_string())
            .header("x-credits-balance", &balance.to_string())
    }

    /// Marks the answer as that of an earlier call with the same key.
    #[must_use]
    pub fn replayed(self, replayed: bool) -> Answer<B> {
        if replayed {
            return self.header("idempotent-replayed", "true");
        }
        self
    }

    /// Shows the version of the row it is about (`request::etag`).
    #[must_use]
    pub fn version(mut self, version: i64) -> Answer<B> {
        self.response = crate::request::etag::with(self.response, version);
        self
    }
}

impl<B: Serialize> Answer<B> {
    /// A body as it is, without `sucesso` and `request_id`.
    ///
    /// # Errors
    /// The body has keys that are no text.
    pub fn plain(status: u16, body: &B) -> ApiResult<Answer<B>> {
        Ok(Answer::bytes(status, serde_json::to_vec(body)?.into()))
    }
}

impl<B> IntoResponse for Answer<B> {
    fn into_response(self) -> Response {
        self.response
    }
}

impl Call {
    /// 200 with these members.
    ///
    /// # Errors
    /// As [`Answer::plain`].
    pub fn ok<T: Serialize>(&self, body: T) -> ApiAnswer<T> {
        self.answer(200, body)
    }

    /// 201 with these members.
    ///
    /// # Errors
    /// As [`Answer::plain`].
    pub fn created<T: Serialize>(&self, body: T) -> ApiAnswer<T> {
        self.answer(201, body)
    }

    /// Any other success with these members.
    ///
    /// # Errors
    /// As [`Answer::plain`].
    pub fn answer<T: Serialize>(&self, status: u16, body: T) -> ApiAnswer<T> {
        Answer::plain(status, &Success::new(body, &self.caller.request_id))
    }
}
