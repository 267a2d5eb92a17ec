//! The log of calls, written in groups beside the answers, not before them.

use crate::db::requests::RequestRow;
use crate::db::{self, Db, TxError};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Rows that may wait; more are dropped with a warning, so that a slow disk
/// does not fill the memory.
const QUEUE: usize = 10_000;
/// Rows of one transaction.
const GROUP: usize = 256;
/// How long a row waits for others: a transaction costs the same for one and
/// for many.
const GATHER: Duration = Duration::from_millis(50);

/// Pause before rows that could not be written are tried again, and how often
/// that happens; meanwhile the queue fills.
const AGAIN: Duration = Duration::from_secs(1);
const ATTEMPTS: u32 = 120;
/// Longest wait of a reader for the rows before it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where calls are noted.
pub struct RequestLog {
    sender: mpsc::Sender<RequestRow>,
    receiver: Mutex<Option<mpsc::Receiver<RequestRow>>>,
    /// Rows handed in so far.
    noted: AtomicU64,
    /// Rows done with so far.
    written: watch::Sender<u64>,
}

impl Default for RequestLog {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        RequestLog {
            sender,
            receiver: Mutex::new(Some(receiver)),
            noted: AtomicU64::new(0),
            written: watch::Sender::new(0),
        }
    }
}

impl RequestLog {
    /// Notes a call.
    pub fn note(&self, row: RequestRow) {
        self.noted.fetch_add(1, Ordering::AcqRel);
        if let Err(error) = self.sender.try_send(row) {
            self.written.send_modify(|written| *written += 1);
            tracing::warn!(%error, "a call was not logged");
        }
    }

    /// Nothing waits to be written.
    pub fn is_empty(&self) -> bool {
        *self.written.borrow() >= self.noted.load(Ordering::Acquire)
    }

    /// Waits until the calls noted so far can be read, or it takes too long.
    pub async fn caught_up(&self) {
        let noted = self.noted.load(Ordering::Acquire);
        let mut written = self.written.subscribe();
        let reached = written.wait_for(|written| *written >= noted);
        let _either = tokio::time::timeout(PATIENCE, reached).await;
    }

    /// Starts writing; a second call does nothing.
    pub fn start(&self, db: Db) {
        let receiver = self
            .receiver
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(receiver) = receiver {
            tokio::spawn(write(db, receiver, self.written.clone()));
        }
    }
}

async fn write(db: Db, mut receiver: mpsc::Receiver<RequestRow>, written: watch::Sender<u64>) {
    let mut rows = Vec::new();
    while receiver.recv_many(&mut rows, GROUP).await > 0 {
        tokio::time::sleep(GATHER).await;
        while rows.len() < GROUP
            && let Ok(row) = receiver.try_recv()
        {
            rows.push(row);
        }
        let group = Arc::new(std::mem::take(&mut rows));
        for attempt in 1..=ATTEMPTS {
            let Err(error) = insert(&db, group.clone()).await else {
                break;
            };
            tracing::warn!(%error, attempt, calls = group.len(), "calls are not logged");
            tokio::time::sleep(AGAIN).await;
        }
        written.send_modify(|written| *written += group.len() as u64);
    }
}

async fn insert(db: &Db, group: Arc<Vec<RequestRow>>) -> Result<(), TxError<Infallible>> {
    let done = db.write(group, |rows, conn| {
        Box::pin(async move {
            for row in rows.iter() {
                db::requests::insert(conn, row).await?;
            }
            Ok(())
        })
    });
    done.await
}
