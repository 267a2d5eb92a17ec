//! The log of calls, written in groups beside the answers, not before them.

use crate::db::requests::RequestRow;
use crate::db::{self, Db, TxError};
use std::convert::Infallible;
use std::sync::Mutex;
use tokio::sync::mpsc;

/// Rows that may wait; more are dropped with a warning, so that a slow disk
/// does not fill the memory.
const QUEUE: usize = 10_000;
/// Rows of one transaction.
const GROUP: usize = 256;

/// Where calls are noted.
pub struct RequestLog {
    sender: mpsc::Sender<RequestRow>,
    receiver: Mutex<Option<mpsc::Receiver<RequestRow>>>,
}

impl Default for RequestLog {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        RequestLog {
            sender,
            receiver: Mutex::new(Some(receiver)),
        }
    }
}

impl RequestLog {
    /// Notes a call.
    pub fn note(&self, row: RequestRow) {
        if self.sender.try_send(row).is_err() {
            tracing::warn!("a call was not logged: the log cannot keep up");
        }
    }

    /// Nothing waits to be written.
    pub fn is_empty(&self) -> bool {
        self.sender.capacity() == QUEUE
    }

    /// Starts writing; a second call does nothing.
    pub fn start(&self, db: Db) {
        let receiver = self
            .receiver
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .take();
        if let Some(receiver) = receiver {
            tokio::spawn(write(db, receiver));
        }
    }
}

async fn write(db: Db, mut receiver: mpsc::Receiver<RequestRow>) {
    let mut rows = Vec::new();
    while receiver.recv_many(&mut rows, GROUP).await > 0 {
        let written = db.write(std::mem::take(&mut rows), |rows, conn| {
            Box::pin(async move {
                for row in rows {
                    db::requests::insert(conn, row).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
        if let Err(error) = written.await {
            tracing::warn!(%error, "calls were not logged");
        }
    }
}
