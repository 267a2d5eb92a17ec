//! The thread that writes on SQLite: it owns the only writing connection and
//! commits jobs in groups, a savepoint per job, so one disk flush serves many.

use super::sqlite::Sqlite;
use super::{Conn, execute};
use base::errors::{Failure, Refusal, panic_text};
use base::metrics;
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// Jobs that share one commit.
const GROUP: usize = 128;
/// Jobs that may wait; beyond this, callers wait to hand theirs in.
const QUEUE: usize = 1_024;

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

/// The result of a job: whether to keep its changes, and how to answer its
/// caller once it is known whether the group was committed.
struct Ran {
    keep: bool,
    answer: Answer,
}

/// Takes why the group was not committed, if it was not.
type Answer = Box<dyn FnOnce(Option<&str>) + Send>;

type Run = Box<dyn for<'a> FnOnce(&'a mut Conn) -> BoxFuture<'a, Ran> + Send>;

struct Job {
    run: Run,
    /// Called in place of `run` when the database took no work.
    refuse: Answer,
}

/// Handle to the thread that writes; it ends with the last of these.
#[derive(Clone)]
pub(super) struct Writer(mpsc::Sender<Job>);

impl Writer {
    pub(super) fn start(file: PathBuf) -> Result<Writer, sqlx::Error> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let conn = Conn::Sqlite(Sqlite::for_writing(&file)?);
        std::thread::Builder::new()
            .name("sqlite".to_owned())
            .spawn(move || run(conn, file, receiver))?;
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
        let (sender, receiver) = oneshot::channel();
        let sender = Arc::new(Mutex::new(Some(sender)));
        // A caller that went away needs no answer.
        let tell = move |result| {
            let sender = sender.lock().unwrap_or_else(PoisonError::into_inner).take();
            drop(sender.map(|sender: oneshot::Sender<_>| sender.send(result)));
        };
        let refuse = tell.clone();
        let handed = Instant::now();
        let job = Job {
            run: Box::new(move |conn| {
                metrics::POOL_WAIT.took(["writer"], handed.elapsed());
                async move {
                    let ran = AssertUnwindSafe(body(&input, conn)).catch_unwind().await;
                    let result = ran.unwrap_or_else(|panic| Err(panicked(&*panic)));
                    let keep = result.is_ok();
                    let answer = move |lost: Option<&str>| {
                        tell(match (result, lost) {
                            (Ok(_), Some(cause)) => Err(uncommitted(cause)),
                            (result, _) => result,
                        });
                    };
                    Ran {
                        keep,
                        answer: Box::new(answer),
                    }
                }
                .boxed()
            }),
            refuse: Box::new(move |cause| refuse(Err(uncommitted(cause.unwrap_or_default())))),
        };
        let closed = || TxError::Db(sqlx::Error::PoolClosed);
        self.0.send(job).await.map_err(|_| closed())?;
        receiver.await.map_err(|_| closed())?
    }
}

/// The error for a job whose group was not committed. Nothing of the group was
/// written, unless the failure came after the commit had reached the disk.
fn uncommitted<E>(cause: &str) -> TxError<E> {
    let cause = std::io::Error::other(format!("not committed: {cause}"));
    TxError::Db(sqlx::Error::Io(cause))
}

pub(super) fn panicked<E>(panic: &(dyn Any + Send)) -> TxError<E> {
    let cause = format!("a transaction panicked: {}", panic_text(panic));
    TxError::Db(sqlx::Error::Protocol(cause))
}

fn run(mut conn: Conn, file: PathBuf, mut jobs: mpsc::Receiver<Job>) {
    while let Some(first) = jobs.blocking_recv() {
        if let Err(error) = block_on(commit_group(&mut conn, first, &mut jobs)) {
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

async fn commit_group(
    conn: &mut Conn,
    first: Job,
    jobs: &mut mpsc::Receiver<Job>,
) -> Result<(), sqlx::Error> {
    let mut answers = Vec::new();
    let committed = run_group(conn, first, jobs, &mut answers).await;
    let size = u16::try_from(answers.len()).unwrap_or(u16::MAX);
    metrics::WRITER_BATCH.observe([], f64::from(size));
    let cause = committed.as_ref().err().map(ToString::to_string);
    for answer in answers {
        answer(cause.as_deref());
    }
    committed
}

/// Runs a job and those that arrive while the group runs, one after the other, and
/// commits what they leave. Callers that the last commit answered hand their next job
/// in one by one: a group closed at its first job would flush the disk for that one
/// alone, while the others wait.
async fn run_group(
    conn: &mut Conn,
    first: Job,
    jobs: &mut mpsc::Receiver<Job>,
    answers: &mut Vec<Answer>,
) -> Result<(), sqlx::Error> {
    if let Err(error) = execute!(&mut *conn, BEGIN_IMMEDIATE) {
        answers.push(first.refuse);
        return Err(error);
    }
    // It needs no savepoint: nothing before it has to be kept.
    let ran = (first.run)(conn).await;
    answers.push(ran.answer);
    if !ran.keep {
        execute!(&mut *conn, ROLLBACK)?;
        return Ok(());
    }
    while answers.len() < GROUP {
        let Ok(job) = jobs.try_recv() else { break };
        if let Err(error) = execute!(&mut *conn, SAVEPOINT) {
            answers.push(job.refuse);
            return Err(error);
        }
        let ran = (job.run)(conn).await;
        answers.push(ran.answer);
        if !ran.keep {
            execute!(&mut *conn, ROLLBACK_TO)?;
        }
        execute!(&mut *conn, RELEASE)?;
    }
    execute!(&mut *conn, COMMIT)?;
    Ok(())
}
