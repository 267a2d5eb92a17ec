//! What a commit brings for the loops of this process.
//!
//! A loop that only looks every so often finds its work late, and looks in vain while there is
//! none. So a statement notes what it wrote, and when the transaction is durable the loops that
//! wait for that are called. What another process commits is found by looking.

use std::cell::Cell;
use std::sync::Arc;
use tokio::sync::watch;

/// What was written, by who waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Rows of `outbox` without a place.
    Events,
    /// Something to send to a webhook.
    Deliveries,
}

impl Cause {
    fn bit(self) -> u8 {
        match self {
            Cause::Events => 1,
            Cause::Deliveries => 2,
        }
    }
}

/// All that a transaction noted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Causes(u8);

impl Causes {
    /// These and others.
    #[must_use]
    pub fn and(self, others: Causes) -> Causes {
        Causes(self.0 | others.0)
    }

    fn has(self, cause: Cause) -> bool {
        self.0 & cause.bit() != 0
    }
}

tokio::task_local! {
    /// What the transaction of this task noted so far.
    static NOTED: Cell<Causes>;
}

/// Notes what the running transaction wrote. Outside of one there is no commit to wait for:
/// nothing is noted.
pub fn note(cause: Cause) {
    let noted = NOTED.try_with(|noted| noted.set(noted.get().and(Causes(cause.bit()))));
    noted.unwrap_or_default();
}

/// Runs the body of a transaction; also what it noted.
pub async fn noted<F: Future>(body: F) -> (F::Output, Causes) {
    let body = async {
        let output = body.await;
        (output, NOTED.with(Cell::get))
    };
    NOTED.scope(Cell::default(), body).await
}

/// Calls the loops of a process. Clones call the same ones.
#[derive(Clone, Default)]
pub struct Calls {
    events: Arc<watch::Sender<()>>,
    deliveries: Arc<watch::Sender<()>>,
}

impl Calls {
    /// Calls everybody who waits for one of these.
    pub fn call(&self, causes: Causes) {
        for cause in [Cause::Events, Cause::Deliveries] {
            if causes.has(cause) {
                self.of(cause).send_replace(());
            }
        }
    }

    /// Hears of the calls from now on.
    pub fn hear(&self, cause: Cause) -> watch::Receiver<()> {
        self.of(cause).subscribe()
    }

    fn of(&self, cause: Cause) -> &watch::Sender<()> {
        match cause {
            Cause::Events => &self.events,
            Cause::Deliveries => &self.deliveries,
        }
    }
}
