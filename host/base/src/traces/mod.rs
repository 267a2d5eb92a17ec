//! Traces by OpenTelemetry's protocol (OTLP over HTTP, in JSON), where the
//! settings name a receiver.
//!
//! A call that comes with a `traceparent` (W3C) goes on with it; nobody else is
//! told of it. Spans are handed to a bounded queue: no call waits for a
//! receiver, and what does not fit is counted and dropped.

mod parent;
mod send;

pub use parent::Parent;

use crate::config;
use crate::metrics::SPANS_DROPPED;
use crate::random::{OsRandom, Random as _};
use crate::when::Clock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;

tokio::task_local! {
    /// The span the work of this task belongs to.
    static CURRENT: Parent;
}

/// Who waits for whom, as OTLP numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// A value beside a span. Names and texts come from short lists, or are ids of
/// rows: never a document's content.
pub type Attribute = (&'static str, Value);

#[derive(Clone, Debug)]
pub enum Value {
    Text(String),
    Number(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Number(number)
    }
}

/// Result of the work of a span.
#[derive(Default)]
pub struct Ended {
    pub attributes: Vec<Attribute>,
    pub failed: bool,
}

pub(crate) struct Span {
    own: Parent,
    parent: Option<[u8; 8]>,
    name: String,
    kind: Kind,
    start_ns: u128,
    end_ns: u128,
    ended: Ended,
}

/// Takes spans; does nothing where no receiver is named.
pub struct Tracer {
    queue: Option<mpsc::Sender<Span>>,
    receiver: Mutex<Option<mpsc::Receiver<Span>>>,
    /// Spans handed in and not done with.
    waiting: Arc<AtomicU64>,
    clock: Clock,
}

impl Tracer {
    pub fn new(settings: &config::Traces, clock: Clock) -> Tracer {
        let (queue, receiver) = match settings.endpoint.is_empty() {
            true => (None, None),
            false => {
                let (queue, receiver) = mpsc::channel(settings.queue);
                (Some(queue), Some(receiver))
            }
        };
        Tracer {
            queue,
            receiver: Mutex::new(receiver),
            waiting: Arc::default(),
            clock,
        }
    }

    /// Starts sending; a second call does nothing.
    ///
    /// # Errors
    /// There is no client for the receiver's address.
    pub fn start(&self, settings: &config::Traces) -> anyhow::Result<()> {
        let mut receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(receiver) = receiver.take() {
            let waiting = self.waiting.clone();
            tokio::spawn(send::run(settings.clone(), receiver, waiting)?);
        }
        Ok(())
    }

    /// Nothing waits to be sent.
    pub fn is_empty(&self) -> bool {
        self.waiting.load(Ordering::Acquire) == 0
    }

    /// Runs work as a span below that of the task, or of `parent`.
    pub async fn span<T>(
        &self,
        name: &str,
        kind: Kind,
        parent: Option<Parent>,
        work: impl Future<Output = T>,
        ended: impl FnOnce(&T) -> Ended,
    ) -> T {
        let Some(queue) = &self.queue else {
            return work.await;
        };
        let parent = parent.or_else(current);
        let own = match Parent::below(parent.as_ref(), fresh) {
            Some(own) if own.sampled => own,
            // Who asked does not want it recorded, nor what is below it.
            Some(own) => return CURRENT.scope(own, work).await,
            None => return work.await,
        };
        let (start_ns, began) = (ns((self.clock)()), Instant::now());
        let done = CURRENT.scope(own, work).await;
        let span = Span {
            own,
            parent: parent.map(|parent| parent.span),
            name: name.chars().take(100).collect(),
            kind,
            start_ns,
            end_ns: start_ns + began.elapsed().as_nanos(),
            ended: ended(&done),
        };
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if queue.try_send(span).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            SPANS_DROPPED.count(["queue_full"]);
        }
        done
    }
}

/// The span of the task that asks.
fn current() -> Option<Parent> {
    CURRENT.try_with(|current| *current).ok()
}

/// Starts a task whose work is part of what the span of this one is about.
pub fn spawn<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    match current() {
        Some(parent) => tokio::spawn(CURRENT.scope(parent, work)),
        None => tokio::spawn(work),
    }
}

fn ns(ms: i64) -> u128 {
    u128::try_from(ms).unwrap_or(0) * 1_000_000
}

/// Random bytes; None when the system has none, and then nothing is recorded.
fn fresh(bytes: &mut [u8]) -> bool {
    OsRandom.fill(bytes).is_ok()
}
