//! What the systems share while they process one request.

pub mod faults;
pub mod journal;

use crate::notes::store::Store;
use crate::notes::{Notes, Record};
use crate::pki::Pki;
use crate::request::{Answer, SimRequest};

/// What a system remembers besides notes, events and batches.
pub(crate) trait Memory {
    /// One change of it.
    type Record;

    /// Keeps a change, made now or found in a journal of an earlier version.
    fn apply(store: &Store, record: Self::Record);
}

/// A system that is told of changes of notes and events.
pub(crate) trait Witness {
    /// Called with a change that was applied to the notes, and the number of
    /// the note or event that it is about.
    fn see(record: &Record, seq: i64, notes: &Notes<'_>);
}

/// The systems that remember nothing but notes.
impl Witness for () {
    fn see(_record: &Record, _seq: i64, _notes: &Notes<'_>) {}
}

/// One request being processed by a system with the memory `M`.
pub(crate) struct Call<'a, M = ()> {
    pub req: &'a SimRequest,
    pub notes: Notes<'a>,
    /// What the system remembers until a restart.
    pub memory: &'a mut M,
    pub pki: &'a Pki,
    pub seed: u64,
    pub now_ms: i64,
    /// Days an NFS-e can be cancelled.
    pub cancel_days: i64,
    /// Hours an NF-e or NFC-e can be cancelled, in the place of the state's.
    pub cancel_hours: Option<i64>,
    /// Fault `fila`: the result exists only after this many milliseconds.
    pub queue_ms: Option<i64>,
    /// When an asynchronous batch is ready, in the place of the system's own time.
    pub batch_ms: Option<i64>,
}

/// What came of it.
pub(crate) struct Outcome {
    pub answer: Answer,
    /// The answer to the same document sent once more: for the fault `duplicada`.
    pub if_duplicate: Option<Answer>,
    /// True when the answer itself says that the result is not there yet.
    pub tells_queue: bool,
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            if_duplicate: None,
            tells_queue: false,
        }
    }
}

impl<'a, M> Call<'a, M> {
    /// The same request for a system with another memory.
    pub fn with<N>(self, memory: &'a mut N) -> Call<'a, N> {
        Call {
            req: self.req,
            notes: self.notes,
            memory,
            pki: self.pki,
            seed: self.seed,
            now_ms: self.now_ms,
            cancel_days: self.cancel_days,
            cancel_hours: self.cancel_hours,
            queue_ms: self.queue_ms,
            batch_ms: self.batch_ms,
        }
    }

    /// A number below `bound` that depends on the seed and on `what` only.
    pub fn draw(&self, what: &str, bound: u64) -> u64 {
        use sha2::{Digest, Sha256};
        let hash = Sha256::digest(format!("{}|{what}", self.seed).as_bytes());
        let n = hash
            .iter()
            .take(8)
            .fold(0u64, |n, b| (n << 8) | u64::from(*b));
        n % bound.max(1)
    }

    pub fn available_ms(&self) -> i64 {
        self.now_ms.saturating_add(self.queue_ms.unwrap_or(0))
    }

    /// When an asynchronous batch is ready that usually takes this long.
    pub fn batch_ready_ms(&self, usual_ms: i64) -> i64 {
        let ordered_ms = self.queue_ms.or(self.batch_ms);
        self.now_ms.saturating_add(ordered_ms.unwrap_or(usual_ms))
    }
}

impl<M> Call<'_, M> {
    /// What is kept of everything.
    pub fn store(&self) -> &Store {
        self.notes.store
    }

    /// An internal error of the authority when what was changed cannot be
    /// kept: nothing was issued then.
    fn kept(&self) -> Result<(), Answer> {
        if self.store().broken() {
            return Err(Answer::new(500, "text/plain", ""));
        }
        Ok(())
    }
}

impl<M: Witness> Call<'_, M> {
    /// Records a change of notes, events or batches.
    pub fn record(&mut self, record: Record) -> Result<(), Answer> {
        let seq = self.notes.apply(&record);
        M::see(&record, seq, &self.notes);
        self.kept()
    }
}

impl<M: Memory> Call<'_, M> {
    /// Keeps a change of what only this system remembers.
    pub fn keep(&mut self, record: M::Record) -> Result<(), Answer> {
        M::apply(self.store(), record);
        self.kept()
    }
}
