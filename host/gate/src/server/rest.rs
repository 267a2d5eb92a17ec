//! Handles the part of a request's body that its handler did not read: reads
//! and drops it, or tells the client that the connection will end.
//!
//! The server ends a connection whose body was not read. A client that is not
//! told would lose the next request it sends there, and one that is still
//! writing would not see the answer.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

/// How many bytes of an unread body are read and dropped, and for how long.
const BYTES: usize = 16 << 20;
const TIME: Duration = Duration::from_secs(2);

/// The body of a request, which comes back when its handler drops it.
struct Lent(Arc<Mutex<Loan>>);

struct Loan {
    body: Body,
    /// Somebody began to read it.
    asked: bool,
    /// It was read to its end, or broke.
    over: bool,
}

impl Lent {
    fn loan(&self) -> MutexGuard<'_, Loan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl hyper::body::Body for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut loan = self.loan();
        if loan.over {
            return Poll::Ready(None);
        }
        loan.asked = true;
        let frame = ready!(Pin::new(&mut loan.body).poll_frame(context));
        loan.over = !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let loan = self.loan();
        loan.over || loan.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.loan().body.size_hint()
    }
}

/// Answers when the body is read, by the handler or here.
pub async fn taken_in(request: Request, next: Next) -> Response {
    // From HTTP/2 on an unread body does not end the connection.
    let alone = request.version() >= Version::HTTP_2;
    if alone || hyper::body::Body::is_end_stream(request.body()) {
        return next.run(request).await;
    }
    let polite = request.headers().contains_key(header::EXPECT);
    let (parts, body) = request.into_parts();
    let lent = Lent(Arc::new(Mutex::new(Loan {
        body,
        asked: false,
        over: false,
    })));
    let rest = Lent(lent.0.clone());
    let request = Request::from_parts(parts, Body::new(lent));
    let mut response = next.run(request).await;
    // A client that sent `Expect: 100-continue` and was not asked for the body
    // sends none.
    let waits = polite && !rest.loan().asked;
    if waits || !ended(rest).await {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}

/// Reads what is left; false when it is too much, or does not come.
async fn ended(mut rest: Lent) -> bool {
    let reading = async {
        let mut seen = 0_usize;
        while let Some(frame) = rest.frame().await {
            let Ok(frame) = frame else { return false };
            seen = seen.saturating_add(frame.data_ref().map_or(0, Bytes::len));
            if seen > BYTES {
                return false;
            }
        }
        true
    };
    tokio::time::timeout(TIME, reading).await.unwrap_or(false)
}
