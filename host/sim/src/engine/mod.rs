//! What the systems share while they process one request.

pub mod faults;
pub mod journal;

use serde::Serialize;

use crate::notes::{Notes, Record};
use crate::pki::Pki;
use crate::request::{Answer, SimRequest};
use journal::Journal;

/// What a system remembers besides notes, events and batches.
pub(crate) trait Memory {
    /// Name of the system in the journal.
    const SYSTEM: &'static str;
    /// One change of it.
    type Record: Serialize;

    /// Changes the memory, now or when the journal is read again.
    fn apply(&mut self, record: Self::Record);
}

/// A system that is told of changes of notes and events.
pub(crate) trait Witness {
    /// Called with a change before it is applied to the notes.
    fn see(&mut self, record: &Record, notes: &Notes);
}

/// The systems that remember nothing but notes.
impl Witness for () {
    fn see(&mut self, _record: &Record, _notes: &Notes) {}
}

/// One request being processed by a system with the memory `M`.
pub(crate) struct Call<'a, M = ()> {
    pub req: &'a SimRequest,
    pub notes: &'a mut Notes,
    /// What the system remembers besides notes.
    pub memory: &'a mut M,
    pub journal: Option<&'a mut Journal>,
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
            journal: self.journal,
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

impl<M: Witness> Call<'_, M> {
    /// Records a change of notes, events or batches. An unwritable journal is
    /// an internal error of the authority: nothing was issued.
    pub fn record(&mut self, record: Record) -> Result<(), Answer> {
        if let Some(journal) = &mut self.journal {
            journal.append(&record).map_err(unwritable)?;
        }
        self.memory.see(&record, self.notes);
        self.notes.apply(record);
        Ok(())
    }
}

/// A change of a system's own memory as the journal has it.
#[derive(Serialize)]
struct Line<'a, R> {
    t: &'static str,
    #[serde(flatten)]
    registro: &'a R,
}

impl<M: Memory> Call<'_, M> {
    /// Writes a change of the system's own memory to the journal, then applies it.
    pub fn write(&mut self, record: M::Record) -> std::io::Result<()> {
        if let Some(journal) = &mut self.journal {
            let t = M::SYSTEM;
            let line = Line {
                t,
                registro: &record,
            };
            journal.append(&line)?;
        }
        self.memory.apply(record);
        Ok(())
    }

    /// The same while a request is processed: an unwritable journal is an
    /// internal error of the authority.
    pub fn keep(&mut self, record: M::Record) -> Result<(), Answer> {
        self.write(record).map_err(unwritable)
    }
}

fn unwritable(error: std::io::Error) -> Answer {
    tracing::error!(%error, "journal of the simulator cannot be written");
    Answer::new(500, "text/plain", "")
}
