//! Pauses before re-attempts.

use super::{ConfigError, within};
use serde::Deserialize;

/// Seconds to wait after each attempt that failed; after the last of them it is
/// given up.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Schedule(Vec<i64>);

impl Schedule {
    /// The pause after an attempt, `made` counted from 1; None after the last.
    pub fn pause_ms(&self, made: usize) -> Option<i64> {
        let pause = self.0.get(made.checked_sub(1)?)?;
        Some(pause.saturating_mul(1_000))
    }

    pub(super) fn check(&self, key: &str) -> Result<(), ConfigError> {
        let mut pauses = self.0.iter();
        pauses.try_for_each(|pause| within(key, *pause, 1..=30 * 24 * 3_600))
    }
}
