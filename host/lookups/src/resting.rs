//! Sources that failed and are left alone for a while.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// By the name of the source: until when (epoch milliseconds).
#[derive(Default)]
pub struct Resting(Mutex<HashMap<String, i64>>);

/// Longest pause a source can order by `Retry-After`.
const AT_MOST_MS: i64 = 3_600_000;

impl Resting {
    pub fn rests(&self, source: &str, now_ms: i64) -> bool {
        let until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A later moment is of a clock that was set back since.
        let until_ms = until.get(source);
        until_ms
            .is_some_and(|until_ms| (1..=AT_MOST_MS + AT_MOST_MS).contains(&(until_ms - now_ms)))
    }

    pub fn rest(&self, source: &str, now_ms: i64, pause_ms: i64) {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until.insert(source.to_owned(), now_ms + pause_ms.min(AT_MOST_MS));
    }

    pub fn works(&self, source: &str) {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until.remove(source);
    }
}
