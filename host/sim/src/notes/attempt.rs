//! How often the processing of documents began: what tests count.

use std::collections::{BTreeMap, VecDeque};

/// Most documents remembered; the oldest are forgotten, and all at a restart.
const MAX_ATTEMPTS: usize = 2_000;

/// Attempts by natural key.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    times: BTreeMap<String, u64>,
    in_order: VecDeque<String>,
}

impl Attempts {
    /// Counts one.
    pub fn count(&mut self, id: String) {
        if let Some(times) = self.times.get_mut(&id) {
            *times += 1;
            return;
        }
        self.in_order.push_back(id.clone());
        self.times.insert(id, 1);
        if self.times.len() > MAX_ATTEMPTS
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.times.remove(&oldest);
        }
    }

    /// All that are remembered.
    pub fn all(&self) -> BTreeMap<String, u64> {
        self.times.clone()
    }
}
