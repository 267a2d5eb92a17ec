//! The log of calls, written in groups beside the answers, not before them.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::ids::{AccountId, KeyId};
use store::tables::api_keys::USE_MS;
use store::tables::requests::RequestRow;
use store::{Db, TxError};
use tokio::sync::{Notify, mpsc, watch};

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
/// Keys whose last use is remembered at most.
const REMEMBERED: usize = 10_000;
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
    /// Somebody waits for rows: they wait for no others.
    awaited: Arc<Notify>,
}

impl Default for RequestLog {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        RequestLog {
            sender,
            receiver: Mutex::new(Some(receiver)),
            noted: AtomicU64::new(0),
            written: watch::Sender::new(0),
            awaited: Arc::default(),
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
        if *written.borrow() < noted {
            self.awaited.notify_one();
        }
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
            let (written, awaited) = (self.written.clone(), self.awaited.clone());
            tokio::spawn(write(db, receiver, written, awaited));
        }
    }
}

async fn write(
    db: Db,
    mut receiver: mpsc::Receiver<RequestRow>,
    written: watch::Sender<u64>,
    awaited: Arc<Notify>,
) {
    let mut rows = Vec::new();
    let mut uses = Uses::default();
    while receiver.recv_many(&mut rows, GROUP).await > 0 {
        tokio::select! {
            () = tokio::time::sleep(GATHER) => {}
            () = awaited.notified() => {}
        }
        while rows.len() < GROUP
            && let Ok(row) = receiver.try_recv()
        {
            rows.push(row);
        }
        let calls = std::mem::take(&mut rows);
        let due = uses.due(&calls);
        let group = Arc::new(Group { calls, due });
        for attempt in 1..=ATTEMPTS {
            let Err(error) = insert(&db, group.clone()).await else {
                break;
            };
            tracing::warn!(%error, attempt, calls = group.calls.len(), "calls are not logged");
            tokio::time::sleep(AGAIN).await;
        }
        written.send_modify(|written| *written += group.calls.len() as u64);
    }
}

/// Rows of one transaction, and the keys whose use it writes.
struct Group {
    calls: Vec<RequestRow>,
    due: Vec<Use>,
}

/// When a key was used.
pub struct Use {
    /// Whose the key is.
    pub account_id: AccountId,
    /// The key.
    pub key_id: KeyId,
    /// Moment of its newest call, epoch milliseconds.
    pub at_ms: i64,
}

/// Uses of keys written so far, so that a busy key costs one write a minute.
#[derive(Default)]
pub struct Uses(HashMap<KeyId, i64>);

impl Uses {
    /// The uses to write with these calls, in the order of the keys: nodes that
    /// write the same ones do not wait for each other crosswise.
    pub fn due(&mut self, calls: &[RequestRow]) -> Vec<Use> {
        let mut last: BTreeMap<&KeyId, &RequestRow> = BTreeMap::new();
        for call in calls {
            let Some(key_id) = call.key_id.as_ref() else {
                continue;
            };
            let newest = last.entry(key_id).or_insert(call);
            if newest.created_at_ms < call.created_at_ms {
                *newest = call;
            }
        }
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        let mut due = Vec::new();
        for (key_id, call) in last {
            let written = self.0.get(key_id).copied().unwrap_or(0);
            if call.created_at_ms - written >= USE_MS {
                self.0.insert(key_id.to_owned(), call.created_at_ms);
                due.push(Use {
                    account_id: call.account_id.clone(),
                    key_id: key_id.to_owned(),
                    at_ms: call.created_at_ms,
                });
            }
        }
        due
    }
}

async fn insert(db: &Db, group: Arc<Group>) -> Result<(), TxError<Infallible>> {
    let done = db.write(group, |group, conn| {
        Box::pin(async move {
            let mut written = Vec::with_capacity(group.calls.len());
            for row in &group.calls {
                if store::tables::requests::insert(conn, row).await? {
                    written.push(&row.id);
                }
            }
            store::tables::usage::count(conn, &written).await?;
            for one in &group.due {
                store::tables::api_keys::used(conn, &one.account_id, &one.key_id, one.at_ms)
                    .await?;
            }
            Ok(())
        })
    });
    done.await
}
