//! SQL lives only in this folder, written once for SQLite and PostgreSQL.
//!
//! Every text is a `const` in the common dialect (`$1`, `RETURNING`,
//! `ON CONFLICT`); the macros below run it on whichever engine is open, with
//! that engine's own types. A test prepares every constant on both engines.

pub mod migrations;
pub mod node;
mod open;
pub mod presence;
pub mod rounds;
mod sqlite;
pub mod tables;
pub mod words;
mod write;
mod writer;

pub mod checks;
pub mod copy;

pub use open::{Db, Engine, OpenError, Walk, engine};
pub use words::ids;
pub use writer::TxError;
pub use writer::calls::Cause;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlite::row;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A connection, or a transaction in progress, of either engine.
pub enum Conn {
    Sqlite(sqlite::Sqlite),
    Postgres(Server),
}

/// A connection to PostgreSQL.
pub struct Server {
    conn: PoolConnection<Postgres>,
    far: Option<Arc<dyn Far>>,
}

impl Server {
    fn new(conn: PoolConnection<Postgres>, far: Option<Arc<dyn Far>>) -> Server {
        Server { conn, far }
    }
}

impl Deref for Server {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.conn
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.conn
    }
}

/// Where packed records are that moved out of the database.
pub trait Far: Send + Sync {
    /// The bytes at a place.
    fn fetch<'a>(&'a self, place: &'a str) -> BoxFuture<'a, std::io::Result<Vec<u8>>>;
}

impl Conn {
    /// Bytes that moved out of the database; not in a transaction, which waits for nothing
    /// but the database.
    async fn far(&mut self, place: &str) -> DbResult<Vec<u8>> {
        let far = match self {
            Conn::Sqlite(conn) => conn.far.clone(),
            Conn::Postgres(conn) => conn.far.clone(),
        };
        match far {
            Some(far) => Ok(far.fetch(place).await?),
            None => Err(contradiction(
                "a record that moved is asked for here",
                place,
            )),
        }
    }
}

/// A period of documents, by the day of their emission where a row has one
/// and by their arrival where it has none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Period {
    /// Arrival, epoch milliseconds.
    pub from_ms: i64,
    /// Outside of the period; 0: open.
    pub to_ms: i64,
    /// First day of emission, `AAAA-MM-DD`; empty: the arrival counts.
    #[serde(default)]
    pub from_day: String,
    /// Last day of emission.
    #[serde(default)]
    pub to_day: String,
}

/// Any failure of the database itself.
pub type DbError = sqlx::Error;

/// What a statement answers.
pub type DbResult<T> = Result<T, DbError>;

/// The database holds something the program never writes, or lacks something
/// it always does: what, and of which row.
pub fn contradiction(what: &str, id: &str) -> sqlx::Error {
    sqlx::Error::Protocol(format!("{what} contradicts the rest of the database: {id}"))
}

/// A column holds what the program never writes there: which, and of which
/// row. The content itself may be a customer's, and is not repeated.
pub fn unreadable(what: &str, id: &str) -> sqlx::Error {
    sqlx::Error::Decode(format!("{what} cannot be read: {id}").into())
}

/// What is stored is why something failed, not the database: it cannot be read, contradicts the
/// rest, or is too large for what is made of it. It fails again when it is tried again.
pub fn is_of_content(error: &DbError) -> bool {
    use sqlx::Error::{ColumnDecode, Decode, Encode, Protocol};
    matches!(
        error,
        ColumnDecode { .. } | Decode(_) | Encode(_) | Protocol(_)
    )
}

/// What a column keeps as JSON; `what` and `id` name it and its row.
///
/// # Errors
/// It is unreadable: never a default instead.
pub fn stored<T: DeserializeOwned>(text: &str, what: &str, id: &str) -> DbResult<T> {
    serde_json::from_str(text).map_err(|_| unreadable(what, id))
}

/// What was made of a column: a number of a text, a smaller number of a number.
pub trait Readable<T> {
    /// # Errors
    /// It is unreadable: never a default instead.
    fn readable(self, what: &str, id: &str) -> DbResult<T>;
}

impl<T> Readable<T> for Option<T> {
    fn readable(self, what: &str, id: &str) -> DbResult<T> {
        self.ok_or_else(|| unreadable(what, id))
    }
}

impl<T, E> Readable<T> for Result<T, E> {
    fn readable(self, what: &str, id: &str) -> DbResult<T> {
        self.map_err(|_| unreadable(what, id))
    }
}

/// A row that must be there.
pub trait Present<T> {
    /// # Errors
    /// It is not there: a contradiction.
    fn present(self, what: &str, id: &str) -> DbResult<T>;
}

impl<T> Present<T> for Option<T> {
    fn present(self, what: &str, id: &str) -> DbResult<T> {
        self.ok_or_else(|| contradiction(what, id))
    }
}

/// Runs a statement; the answer is the number of rows it changed.
macro_rules! execute {
    ($conn:expr, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $conn {
            $crate::Conn::Sqlite(conn) => conn.execute($sql, &[$(&$bind),*]),
            $crate::Conn::Postgres(conn) => {
                sqlx::query($sql)$(.bind($bind))*.execute(&mut **conn).await.map(|done| done.rows_affected())
            }
        }
    };
}

/// At most one row, as a struct of `row!`.
macro_rules! fetch_optional {
    ($conn:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $conn {
            $crate::Conn::Sqlite(conn) => conn.first::<$row>($sql, &[$(&$bind),*]),
            $crate::Conn::Postgres(conn) => {
                sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_optional(&mut **conn).await
            }
        }
    };
}

/// All rows, as structs of `row!`. The SQL carries the `LIMIT`.
macro_rules! fetch_all {
    ($conn:expr, $row:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $conn {
            $crate::Conn::Sqlite(conn) => {
                let rows = conn.all::<$row>($sql, &[$(&$bind),*]);
                rows.await
            }
            $crate::Conn::Postgres(conn) => {
                sqlx::query_as::<_, $row>($sql)$(.bind($bind))*.fetch_all(&mut **conn).await
            }
        }
    };
}

/// The first column of at most one row.
macro_rules! fetch_value {
    ($conn:expr, $value:ty, $sql:expr $(, $bind:expr)* $(,)?) => {
        match $conn {
            $crate::Conn::Sqlite(conn) => conn.first::<$value>($sql, &[$(&$bind),*]),
            $crate::Conn::Postgres(conn) => {
                sqlx::query_scalar::<_, $value>($sql)$(.bind($bind))*.fetch_optional(&mut **conn).await
            }
        }
    };
}

pub(crate) use {execute, fetch_all, fetch_optional, fetch_value};
