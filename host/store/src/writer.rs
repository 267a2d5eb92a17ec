//! The thread that writes on SQLite: it owns the only writing connection and
//! commits jobs in groups, so one disk flush serves many.
//!
//! A savepoint makes SQLite keep a copy of each page the job changes, and nearly no
//! job fails. So the jobs of a group run one after the other without; when one fails,
//! all is undone and they run again, each behind a savepoint. Every job can:
//! it takes its data by reference and captures nothing, because PostgreSQL repeats it too.

pub mod calls;

use super::sqlite::Sqlite;
use super::{Conn, execute};
use base::errors::{Failure, Refusal, is_full, panic_text};
use base::metrics;
use calls::{Calls, Causes, noted};
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use std::any::Any;
use std::io::ErrorKind;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Jobs that share one commit.
const GROUP: usize = 128;
/// Where the last group had at least [`BUSY`] jobs, many callers are at work, and what they hand in
/// soon shares the pages and the flush of this commit: the group waits until it has as many jobs
/// as the last one, but not longer than [`EACH`] for each of them, nor than [`LONGEST`], nor once
/// no job came for [`QUIET`] naps: a caller who is alone waits so long once, after such a group. One
/// that ended longer than [`LONGEST`] ago says nothing of who is at work now.
const BUSY: u32 = 4;
const EACH: Duration = Duration::from_micros(500);
const LONGEST: Duration = Duration::from_millis(10);
const NAP: Duration = Duration::from_micros(500);
const QUIET: u32 = 3;
/// Jobs that may wait; beyond this, callers wait to hand theirs in.
const QUEUE: usize = 1_024;
/// Groups that use savepoints after one whose jobs had to run again: where many jobs
/// fail, running again costs more than the savepoints.
const GUARDED_GROUPS: u32 = 16;

/// Why a transaction did not commit.
#[derive(Debug, thiserror::Error)]
pub enum TxError<E> {
    /// The body decided to undo everything.
    #[error("{0}")]
    Abort(E),
    #[error("database: {0}")]
    Db(sqlx::Error),
}

impl<E> From<sqlx::Error> for TxError<E> {
    fn from(error: sqlx::Error) -> Self {
        TxError::Db(error)
    }
}

impl From<TxError<Refusal>> for Failure {
    fn from(error: TxError<Refusal>) -> Self {
        match error {
            TxError::Abort(refusal) => refusal.into(),
            TxError::Db(error) => error.into(),
        }
    }
}

const BEGIN_IMMEDIATE: &str = "BEGIN IMMEDIATE";
pub(super) const COMMIT: &str = "COMMIT";
pub(super) const ROLLBACK: &str = "ROLLBACK";
const SAVEPOINT: &str = "SAVEPOINT job";
const RELEASE: &str = "RELEASE SAVEPOINT job";
const ROLLBACK_TO: &str = "ROLLBACK TO SAVEPOINT job";

/// Why a group was not committed.
struct Lost {
    cause: String,
    /// The disk has no room left.
    full: bool,
}

impl From<&sqlx::Error> for Lost {
    fn from(error: &sqlx::Error) -> Lost {
        Lost {
            cause: error.to_string(),
            full: is_full(error),
        }
    }
}

/// A transaction to run, and then its result until it is known whether the group was
/// committed.
trait Work: Send {
    /// Runs it; a second run takes the place of the first. Whether to keep its changes.
    fn run<'a>(&'a mut self, conn: &'a mut Conn) -> BoxFuture<'a, bool>;

    /// Answers its caller; `lost` is why the group was not committed, if it was not.
    fn answer(self: Box<Self>, lost: Option<&Lost>);
}

type Job = Box<dyn Work>;

struct Transaction<I, T, E, F> {
    input: I,
    body: F,
    caller: oneshot::Sender<Result<T, TxError<E>>>,
    /// None: the database took no work.
    result: Option<Result<T, TxError<E>>>,
    /// Until it begins to run for the first time.
    handed: Option<Instant>,
}

impl<I, T, E, F> Work for Transaction<I, T, E, F>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    E: Send + 'static,
    F: for<'b> Fn(&'b I, &'b mut Conn) -> BoxFuture<'b, Result<T, TxError<E>>>
        + Send
        + Sync
        + 'static,
{
    fn run<'a>(&'a mut self, conn: &'a mut Conn) -> BoxFuture<'a, bool> {
        if let Some(handed) = self.handed.take() {
            metrics::POOL_WAIT.took(["writer"], handed.elapsed());
        }
        async move {
            let ran = AssertUnwindSafe(async { (self.body)(&self.input, conn).await });
            let result = ran.catch_unwind().await;
            let result = result.unwrap_or_else(|panic| Err(panicked(&*panic)));
            let keep = result.is_ok();
            self.result = Some(result);
            keep
        }
        .boxed()
    }

    fn answer(self: Box<Self>, lost: Option<&Lost>) {
        let result = match (self.result, lost) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(value)), None) => Ok(value),
            (_, lost) => Err(uncommitted(lost)),
        };
        // A caller that went away needs no answer.
        drop(self.caller.send(result));
    }
}

/// Handle to the thread that writes; it ends with the last of these.
#[derive(Clone)]
pub(super) struct Writer(mpsc::Sender<Job>);

impl Writer {
    /// `calls` is told of what is committed.
    pub(super) fn start(file: PathBuf, calls: Calls) -> Result<Writer, sqlx::Error> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let conn = Conn::Sqlite(Sqlite::for_writing(&file)?);
        std::thread::Builder::new()
            .name("sqlite".to_owned())
            .spawn(move || run(conn, file, &calls, receiver))?;
        Ok(Writer(sender))
    }

    pub(super) async fn write<I, T, E, F>(&self, input: I, body: F) -> Result<T, TxError<E>>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Send + 'static,
        F: for<'a> Fn(&'a I, &'a mut Conn) -> BoxFuture<'a, Result<T, TxError<E>>>
            + Send
            + Sync
            + 'static,
    {
        let (caller, receiver) = oneshot::channel();
        let job = Box::new(Transaction {
            input,
            body,
            caller,
            result: None,
            handed: Some(Instant::now()),
        });
        let closed = || TxError::Db(sqlx::Error::PoolClosed);
        self.0.send(job).await.map_err(|_| closed())?;
        receiver.await.map_err(|_| closed())?
    }
}

/// The error for a job whose group was not committed. Nothing of the group was
/// written, unless the failure came after the commit had reached the disk.
fn uncommitted<E>(lost: Option<&Lost>) -> TxError<E> {
    let kind = match lost {
        Some(Lost { full: true, .. }) => ErrorKind::StorageFull,
        _ => ErrorKind::Other,
    };
    let cause = lost.map_or("", |lost| &lost.cause);
    let error = std::io::Error::new(kind, format!("not committed: {cause}"));
    TxError::Db(sqlx::Error::Io(error))
}

pub(super) fn panicked<E>(panic: &(dyn Any + Send)) -> TxError<E> {
    let cause = format!("a transaction panicked: {}", panic_text(panic));
    TxError::Db(sqlx::Error::Protocol(cause))
}

fn run(mut conn: Conn, file: PathBuf, calls: &Calls, mut jobs: mpsc::Receiver<Job>) {
    let mut pace = Pace::default();
    while let Some(first) = jobs.blocking_recv() {
        if let Err(error) = block_on(commit_group(&mut conn, calls, first, &mut jobs, &mut pace)) {
            tracing::error!(%error, "a group of transactions was not committed");
            undo(&mut conn, &file);
        }
    }
}

/// The connection may hold half a transaction: undo it, or take a new one.
fn undo(conn: &mut Conn, file: &Path) {
    let Conn::Sqlite(sqlite) = conn else { return };
    if sqlite.in_transaction() && sqlite.execute(ROLLBACK, &[]).is_err() {
        match Sqlite::for_writing(file) {
            Ok(new) => *sqlite = new,
            Err(error) => tracing::error!(%error, "the database cannot be opened again"),
        }
    }
}

/// What a group takes from those before it.
#[derive(Default)]
struct Pace {
    /// Groups that still use savepoints from their beginning.
    guarded: u32,
    /// Jobs of the last one, and when it ended.
    last: usize,
    ended: Option<Instant>,
}

impl Pace {
    /// For how many jobs a group waits, and how long.
    fn patience(&self) -> (usize, Duration) {
        let recent = self.ended.is_some_and(|ended| ended.elapsed() <= LONGEST);
        match u32::try_from(self.last) {
            Ok(jobs) if jobs >= BUSY && recent => (self.last, (EACH * jobs).min(LONGEST)),
            _ => (0, Duration::ZERO),
        }
    }
}

async fn commit_group(
    conn: &mut Conn,
    calls: &Calls,
    first: Job,
    jobs: &mut mpsc::Receiver<Job>,
    pace: &mut Pace,
) -> Result<(), sqlx::Error> {
    let mut group = Group {
        done: Vec::new(),
        guarded: pace.guarded > 0,
        causes: Causes::default(),
    };
    pace.guarded = pace.guarded.saturating_sub(1);
    let before = group.guarded;
    let committed = group.run(conn, first, jobs, pace.patience()).await;
    if group.guarded && !before {
        pace.guarded = GUARDED_GROUPS;
    }
    pace.last = group.done.len();
    pace.ended = Some(Instant::now());
    let size = u16::try_from(group.done.len()).unwrap_or(u16::MAX);
    metrics::WRITER_BATCH.observe([], f64::from(size));
    // Loops are called before anybody is answered: what a caller was told of is known to the
    // round that it waits for.
    if committed.is_ok() {
        calls.call(group.causes);
    }
    let lost = committed.as_ref().err().map(Lost::from);
    for job in group.done.drain(..) {
        job.answer(lost.as_ref());
    }
    committed
}

/// Jobs of one commit.
struct Group {
    /// Those that have run, and one that could not, to be answered.
    done: Vec<Job>,
    /// Each job runs behind a savepoint.
    guarded: bool,
    /// What those that are kept noted.
    causes: Causes,
}

impl Group {
    /// Runs a job and those that arrive while the group runs, one after the other, and
    /// commits what they leave. Callers that the last commit answered hand their next job
    /// in one by one: a group closed at its first job would flush the disk for that one
    /// alone, while the others wait.
    async fn run(
        &mut self,
        conn: &mut Conn,
        first: Job,
        jobs: &mut mpsc::Receiver<Job>,
        (many, patience): (usize, Duration),
    ) -> Result<(), sqlx::Error> {
        let begun = Instant::now();
        if let Err(error) = execute!(&mut *conn, BEGIN_IMMEDIATE) {
            self.done.push(first);
            return Err(error);
        }
        // It needs no savepoint: nothing before it has to be kept.
        let keep = self.plain(conn, first).await;
        stands(conn, keep)?;
        if !keep {
            return roll_back(conn);
        }
        let mut quiet = 0;
        while self.done.len() < GROUP {
            let Ok(job) = jobs.try_recv() else {
                let enough = self.done.len() >= many || quiet >= QUIET;
                if enough || begun.elapsed() >= patience {
                    break;
                }
                // The thread has nothing else to do, and holds what no reader waits for.
                std::thread::sleep(NAP);
                quiet += 1;
                continue;
            };
            quiet = 0;
            if self.guarded {
                self.behind(conn, job).await?;
                continue;
            }
            let keep = self.plain(conn, job).await;
            stands(conn, keep)?;
            if !keep {
                self.guarded = true;
                self.again(conn).await?;
            }
        }
        execute!(&mut *conn, COMMIT)?;
        Ok(())
    }

    async fn plain(&mut self, conn: &mut Conn, mut job: Job) -> bool {
        let (keep, causes) = noted(job.run(conn)).await;
        self.done.push(job);
        if keep {
            self.causes = self.causes.and(causes);
        }
        keep
    }

    async fn behind(&mut self, conn: &mut Conn, mut job: Job) -> Result<(), sqlx::Error> {
        let ran = behind_savepoint(conn, &mut job).await;
        self.done.push(job);
        self.causes = self.causes.and(ran?);
        Ok(())
    }

    /// The last job failed: undoes everything, and runs all of them again. It runs once more,
    /// too: what it was refused for may have another id now.
    async fn again(&mut self, conn: &mut Conn) -> Result<(), sqlx::Error> {
        roll_back(conn)?;
        execute!(&mut *conn, BEGIN_IMMEDIATE)?;
        self.causes = Causes::default();
        for job in &mut self.done {
            self.causes = self.causes.and(behind_savepoint(conn, job).await?);
        }
        Ok(())
    }
}

/// What it noted, if it is kept.
async fn behind_savepoint(conn: &mut Conn, job: &mut Job) -> Result<Causes, sqlx::Error> {
    execute!(&mut *conn, SAVEPOINT)?;
    let (keep, causes) = noted(job.run(conn)).await;
    if !keep {
        execute!(&mut *conn, ROLLBACK_TO)?;
    }
    execute!(&mut *conn, RELEASE)?;
    Ok(if keep { causes } else { Causes::default() })
}

/// SQLite ends a transaction by itself at some errors (a full disk). A job that has
/// made something of such an error must not let the next ones write outside of one.
fn stands(conn: &Conn, keep: bool) -> Result<(), sqlx::Error> {
    match conn {
        Conn::Sqlite(sqlite) if keep && !sqlite.in_transaction() => Err(sqlx::Error::Protocol(
            "the database has ended the transaction".to_owned(),
        )),
        _ => Ok(()),
    }
}

fn roll_back(conn: &mut Conn) -> Result<(), sqlx::Error> {
    let Conn::Sqlite(sqlite) = conn else {
        return Ok(());
    };
    if sqlite.in_transaction() {
        sqlite.execute(ROLLBACK, &[])?;
    }
    Ok(())
}
