//! Write transactions.
//!
//! SQLite: the writer's thread commits them in groups. PostgreSQL: a
//! transaction each, repeated when the server asks for it, in a task of its
//! own. Either way a caller that goes away cannot leave one half done.

use super::open::Pools;
use super::writer::calls::{Calls, noted};
use super::writer::{COMMIT, ROLLBACK, TxError, panicked};
use super::{Conn, Db, Server, execute};
use base::metrics;
use futures::FutureExt;
use futures::future::BoxFuture;
use sqlx::PgPool;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

/// Attempts at a transaction the server refused for concurrency.
const ATTEMPTS: u32 = 8;

const BEGIN: &str = "BEGIN";

impl Db {
    /// Runs `body` in one transaction and returns when it is durable. The
    /// body may run more than once, so it takes its data by reference from
    /// `input` and captures nothing.
    ///
    /// # Errors
    /// `Abort` when the body says so: nothing was written. `Db` when the
    /// database fails; if that was during the commit, whether it was written
    /// is not known.
    pub async fn write<I, T, E, F>(&self, input: I, body: F) -> Result<T, TxError<E>>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Send + 'static,
        F: for<'a> Fn(&'a I, &'a mut Conn) -> BoxFuture<'a, Result<T, TxError<E>>>
            + Send
            + Sync
            + 'static,
    {
        match &self.pools {
            Pools::Sqlite { writer, .. } => writer.write(input, body).await,
            Pools::Postgres(pool) => {
                let task = tokio::spawn(postgres(pool.clone(), self.calls.clone(), input, body));
                task.await
                    .unwrap_or_else(|_| Err(TxError::Db(sqlx::Error::WorkerCrashed)))
            }
        }
    }
}

async fn postgres<I, T, E, F>(
    pool: PgPool,
    calls: Calls,
    input: I,
    body: F,
) -> Result<T, TxError<E>>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
    E: Send + 'static,
    F: for<'a> Fn(&'a I, &'a mut Conn) -> BoxFuture<'a, Result<T, TxError<E>>>
        + Send
        + Sync
        + 'static,
{
    let mut attempt = 1;
    loop {
        let result = postgres_once(&pool, &calls, &input, &body).await;
        match &result {
            Err(TxError::Db(error)) if attempt < ATTEMPTS && asks_to_repeat(error) => {
                tokio::time::sleep(Duration::from_millis(u64::from(attempt * attempt) * 3)).await;
                attempt += 1;
            }
            _ => return result,
        }
    }
}

async fn postgres_once<I, T, E, F>(
    pool: &PgPool,
    calls: &Calls,
    input: &I,
    body: &F,
) -> Result<T, TxError<E>>
where
    F: for<'a> Fn(&'a I, &'a mut Conn) -> BoxFuture<'a, Result<T, TxError<E>>>,
{
    let asked = Instant::now();
    let mut conn = Conn::Postgres(Server::new(pool.acquire().await?, None));
    metrics::POOL_WAIT.took(["writer"], asked.elapsed());
    execute!(&mut conn, BEGIN)?;
    let ran = AssertUnwindSafe(body(input, &mut conn)).catch_unwind();
    let (ran, causes) = noted(ran).await;
    let result = match ran.unwrap_or_else(|panic| Err(panicked(&*panic))) {
        Ok(value) => match execute!(&mut conn, COMMIT) {
            Ok(_) => {
                calls.call(causes);
                return Ok(value);
            }
            Err(error) => Err(TxError::Db(error)),
        },
        Err(error) => Err(error),
    };
    if execute!(&mut conn, ROLLBACK).is_err()
        && let Conn::Postgres(conn) = conn
    {
        drop(conn.conn.detach());
    }
    result
}

/// Serialization failure or deadlock: the same transaction may succeed now.
fn asks_to_repeat(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    matches!(code.as_deref(), Some("40001" | "40P01"))
}
