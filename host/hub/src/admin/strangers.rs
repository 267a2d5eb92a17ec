//! Requests without the operator's token, in the log: who sent them, and no more lines
//! than an operator can read.

use gate::server::Peer;
use std::sync::{Arc, Mutex, PoisonError};

/// Time between two lines.
const LINE_MS: i64 = 1_000;

#[derive(Clone, Default)]
pub struct Strangers(Arc<Mutex<Counted>>);

#[derive(Default)]
struct Counted {
    line_at_ms: Option<i64>,
    /// Requests since that line.
    since: u64,
}

impl Strangers {
    /// Writes a line about a request, unless there was one a moment ago.
    pub(super) fn came(&self, peer: Option<&Peer>, asked: &str, now_ms: i64) {
        let Some(more) = self.line(now_ms) else {
            return;
        };
        let peer = peer.map(|Peer(address)| address.to_string());
        let peer = peer.as_deref().unwrap_or("unknown");
        tracing::warn!(peer, asked, more, "a request without the operator's token");
    }

    /// Counts a request. Some: a line is due, which tells of so many others since the
    /// line before.
    pub fn line(&self, now_ms: i64) -> Option<u64> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = counted.line_at_ms.is_some_and(|at_ms| {
            let passed = now_ms.saturating_sub(at_ms);
            (0..LINE_MS).contains(&passed)
        });
        if waits {
            counted.since += 1;
            return None;
        }
        counted.line_at_ms = Some(now_ms);
        Some(std::mem::take(&mut counted.since))
    }
}
