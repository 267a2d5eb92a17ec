//! A call of `/admin/v1`, or of a page of `/operador`, in the log of the process, as the
//! API's calls are.

use axum::extract::{MatchedPath, Request};
use axum::http::HeaderValue;
use axum::response::Response;
use gate::error::ERROR_CODE;
use std::time::Instant;
use store::ids::RequestId;

/// When and as what a call came in.
pub(super) struct Call {
    at: Instant,
    pub id: RequestId,
    /// Method and address, with the names of its parts in the place of what stands there.
    action: String,
}

impl Call {
    pub fn of(request: &Request, now_ms: i64) -> Call {
        let path = request.extensions().get::<MatchedPath>();
        let path = path.map_or("nowhere", MatchedPath::as_str);
        Call {
            at: Instant::now(),
            id: RequestId::new(now_ms),
            action: format!("{} {path}", request.method()),
        }
    }

    /// Writes its line. The operators have one token: their door is who called.
    pub fn log(&self, door: &str, response: &Response) {
        let code = response.headers().get(ERROR_CODE);
        tracing::info!(
            request.id = %self.id,
            operator = door,
            action = self.action.as_str(),
            status = response.status().as_u16(),
            code = code.and_then(|code| code.to_str().ok()),
            ms = u64::try_from(self.at.elapsed().as_millis()).unwrap_or(u64::MAX),
            "operator request"
        );
    }

    /// Gives its id to the answer.
    pub fn name(&self, response: &mut Response) {
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            response.headers_mut().insert("x-request-id", id);
        }
    }
}
