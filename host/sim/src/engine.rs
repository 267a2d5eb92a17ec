//! What the systems share while they process one request.

use crate::pki::Pki;
use crate::request::{Answer, SimRequest};
use crate::state::{Registro, State};

/// One request being processed.
pub(crate) struct Call<'a> {
    pub req: &'a SimRequest,
    pub state: &'a mut State,
    pub pki: &'a Pki,
    pub seed: u64,
    pub now_ms: i64,
    /// Days an NFS-e can be cancelled.
    pub cancel_days: i64,
    /// Hours an NF-e or NFC-e can be cancelled, in the place of the state's.
    pub cancel_hours: Option<i64>,
    /// Fault `fila`: the result exists only after this many milliseconds.
    pub queue_ms: Option<i64>,
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

impl Call<'_> {
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

    /// Records a change. An unwritable journal is an internal error of the
    /// authority: nothing was issued.
    pub fn record(&mut self, registro: Registro) -> Result<(), Answer> {
        self.state.record(registro).map_err(|error| {
            tracing::error!(%error, "journal of the simulator cannot be written");
            Answer::new(500, "text/plain", "")
        })
    }

    pub fn available_ms(&self) -> i64 {
        self.now_ms.saturating_add(self.queue_ms.unwrap_or(0))
    }
}
