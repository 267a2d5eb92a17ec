//! The line of a request in the log of the process. The address is not in it, because it
//! may hold a person's number, a key of a link or a search: only the pattern it matched.

use crate::Services;
use crate::error::ERROR_CODE;
use accounts::people::known::Known;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use base::traces::Parent;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use store::ids::RequestId;

/// The route of an address that does not exist.
const NOWHERE: &str = "nowhere";
const REQUEST_ID: &str = "x-request-id";

/// Who asks, as the handler of a request finds out.
#[derive(Clone, Default)]
pub struct Who(Arc<OnceLock<Arc<Known>>>);

impl Who {
    /// That of a request; of nobody where no line is written for it.
    pub fn of(extensions: &Extensions) -> Who {
        extensions.get::<Who>().cloned().unwrap_or_default()
    }

    /// Notes who it is, the first time.
    pub fn is(&self, known: &Arc<Known>) {
        let _first = self.0.set(known.clone()).is_ok();
    }
}

/// What stands in a line besides the answer.
pub(crate) struct Line<'a> {
    pub request_id: &'a RequestId,
    pub parent: Option<Parent>,
    pub known: Option<&'a Known>,
    /// None: a page, or an address that is no operation.
    pub operation: Option<&'a str>,
    pub method: &'a str,
    pub route: &'a str,
    pub began: Instant,
}

impl Line<'_> {
    /// Writes the line of a request that came from outside, or, at a level of its own, that
    /// of a `part` of one.
    pub fn write(&self, part: bool, response: &mut Response) {
        if part {
            self.write_part(response);
            return;
        }
        let hint = self.known.map(|known| known.key.hint.as_str());
        tracing::info!(
            request.id = %self.request_id,
            trace.id = self.parent.map(|parent| display(parent.trace_id())),
            account = self.known.map(|known| known.account.id.as_str()),
            key = hint.filter(|hint| !hint.is_empty()),
            operation = self.operation,
            method = self.method,
            route = self.route,
            status = response.status().as_u16(),
            code = error_code(response),
            ms = self.ms(),
            "request"
        );
        response.extensions_mut().insert(Written);
    }

    /// An operation which a request is made of: the request has its own line.
    fn write_part(&self, response: &Response) {
        tracing::debug!(
            request.id = %self.request_id,
            account = self.known.map(|known| known.account.id.as_str()),
            operation = self.operation,
            status = response.status().as_u16(),
            code = error_code(response),
            ms = self.ms(),
            "part of a request"
        );
    }

    fn ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Mark of an answer whose request has its line.
#[derive(Clone, Copy)]
struct Written;

/// Code of the error that is answered; None: it is no error.
pub(crate) fn error_code(response: &Response) -> Option<&str> {
    let code = response.headers().get(ERROR_CODE);
    code.and_then(|code| code.to_str().ok())
}

/// The trace that a request belongs to.
pub(crate) fn parent(headers: &HeaderMap) -> Option<Parent> {
    let parent = headers.get("traceparent")?;
    Parent::parse(parent.to_str().ok()?)
}

/// The outermost layer: writes a line for a request that no operation wrote one for, and
/// gives its id to the answer.
pub async fn each(State(app): State<Services>, mut request: Request, next: Next) -> Response {
    let (began, id) = (Instant::now(), RequestId::new(app.now_ms()));
    let who = Who::default();
    request.extensions_mut().insert(who.clone());
    let method = method(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let parent = parent(request.headers());
    let mut response = next.run(request).await;
    if response.extensions_mut().remove::<Written>().is_some() {
        return response;
    }
    if !response.headers().contains_key(REQUEST_ID)
        && let Ok(id) = HeaderValue::from_str(&id)
    {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let told = response.headers().get(REQUEST_ID);
    let told = told.and_then(|id| id.to_str().ok()).map(RequestId::from);
    let line = Line {
        request_id: told.as_ref().unwrap_or(&id),
        parent,
        known: who.0.get().map(AsRef::as_ref),
        operation: None,
        method,
        route: route.as_ref().map_or(NOWHERE, MatchedPath::as_str),
        began,
    };
    line.write(false, &mut response);
    response
}

/// The name of a method; whoever calls may invent others.
fn method(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}
