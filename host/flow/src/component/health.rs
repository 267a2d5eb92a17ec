//! How the steps of a component ended.

use std::sync::atomic::{AtomicU64, Ordering};

/// Steps of a component in this process since it was loaded.
#[derive(Debug, Default)]
pub struct Health {
    steps: AtomicU64,
    broken: AtomicU64,
}

impl Health {
    /// Steps that ended.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Those among them that trapped, ran out of time or memory, or gave what the
    /// contract forbids.
    #[must_use]
    pub fn broken(&self) -> u64 {
        self.broken.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self, good: bool) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        if !good {
            self.broken.fetch_add(1, Ordering::Relaxed);
        }
    }
}
