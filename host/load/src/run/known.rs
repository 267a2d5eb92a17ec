//! Documents that a load knows: those it reads, and those it may cancel.

use crate::seeded::Seeded;
use std::collections::VecDeque;

/// Documents to read, and notes to cancel, at most.
const READ: usize = 2_000;
const TO_CANCEL: usize = 10_000;

pub struct Known {
    seeded: Seeded,
    read: Vec<String>,
    to_cancel: VecDeque<String>,
    /// Numbers of the issuing operations that were answered with a document.
    pub acknowledged: Vec<u64>,
}

impl Known {
    pub fn new(seed: u64) -> Known {
        Known {
            seeded: Seeded::of(seed, u64::MAX),
            read: Vec::new(),
            to_cancel: VecDeque::new(),
            acknowledged: Vec::new(),
        }
    }

    /// A service note that can be read.
    pub fn seen(&mut self, id: String) {
        if self.read.len() < READ {
            self.read.push(id);
            return;
        }
        let place = self.seeded.below(READ as u64);
        if let Some(old) = self
            .read
            .get_mut(usize::try_from(place).unwrap_or_default())
        {
            *old = id;
        }
    }

    /// A service note that this load issued.
    pub fn issued(&mut self, id: String) {
        if self.to_cancel.len() < TO_CANCEL {
            self.to_cancel.push_back(id.clone());
        }
        self.seen(id);
    }

    /// One to read.
    pub fn any(&mut self) -> Option<String> {
        self.seeded.one(&self.read).cloned()
    }

    /// The oldest that was not cancelled yet; nobody else gets it.
    pub fn cancel(&mut self) -> Option<String> {
        self.to_cancel.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_cancelled_once_and_memory_is_bounded() {
        let mut known = Known::new(1);
        assert_eq!(known.any(), None);
        for number in 0..TO_CANCEL + 5 {
            known.issued(number.to_string());
        }
        assert_eq!(known.read.len(), READ);
        assert!(known.any().is_some());
        for number in 0..TO_CANCEL {
            assert_eq!(known.cancel(), Some(number.to_string()));
        }
        assert_eq!(known.cancel(), None);
    }
}
