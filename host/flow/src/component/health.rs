//! How the flows of a component ended lately, in this process.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Flows that are remembered.
const KEPT: usize = 1_000;

/// How a flow ended, as far as it tells something about the component. A network
/// that fails or an authority that is down tells nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Good,
    /// The authority said no, or the component did not take the content.
    Refused,
    /// An answer that the component does not understand.
    Unexpected,
    /// It trapped, ran out of time or memory, or gave what the contract forbids.
    Broke,
}

/// Flows of a time, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub flows: usize,
    pub refused: usize,
    pub unexpected: usize,
    pub broke: usize,
    /// Different emitters of the flows.
    pub emitters: usize,
    /// Different emitters of the flows that broke.
    pub emitters_broke: usize,
}

/// The newest flows of a component that ended.
#[derive(Debug)]
pub struct Health {
    kept: Mutex<VecDeque<Ended>>,
    broke: Arc<Notify>,
}

#[derive(Debug)]
struct Ended {
    at_ms: i64,
    emitter: u64,
    ending: Ending,
}

impl Health {
    /// `broke` wakes whoever looks at components when a flow breaks.
    pub(crate) fn new(broke: Arc<Notify>) -> Health {
        Health {
            kept: Mutex::default(),
            broke,
        }
    }

    /// A flow of the emitter with this document ended.
    pub fn ended(&self, at_ms: i64, emitter: &str, ending: Ending) {
        let mut hasher = DefaultHasher::new();
        emitter.hash(&mut hasher);
        let mut kept = self.kept();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(Ended {
            at_ms,
            emitter: hasher.finish(),
            ending,
        });
        if ending == Ending::Broke {
            self.broke.notify_one();
        }
    }

    /// The remembered flows that ended at this moment or later.
    #[must_use]
    pub fn since(&self, from_ms: i64) -> Tally {
        let (mut emitters, mut broke) = (BTreeSet::new(), BTreeSet::new());
        let mut tally = Tally::default();
        for ended in self.kept().iter().filter(|ended| ended.at_ms >= from_ms) {
            tally.flows += 1;
            emitters.insert(ended.emitter);
            match ended.ending {
                Ending::Good => {}
                Ending::Refused => tally.refused += 1,
                Ending::Unexpected => tally.unexpected += 1,
                Ending::Broke => {
                    tally.broke += 1;
                    broke.insert(ended.emitter);
                }
            }
        }
        Tally {
            emitters: emitters.len(),
            emitters_broke: broke.len(),
            ..tally
        }
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Ended>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
