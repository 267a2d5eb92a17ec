//! A whole database into another one, whatever the engines: moves and backups.
//!
//! One transaction on either side: the source is read as it was at one moment,
//! and the target has all of it or nothing. What was written is read again and
//! compared with what was read.

pub mod bulk;
pub mod frozen;
pub mod packed;
mod rows;
pub mod schema;
pub mod sums;
pub mod vacuum;

use super::checks::{self, Finding};
use super::open::{self, OpenError};
use super::sqlite::Sqlite;
use super::{Conn, DbResult, execute, fetch_all, fetch_value, row};
use base::files;
use std::path::Path;

/// Why nothing was copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The databases are not fit for it; the sentence says what to do.
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("database: {0}")]
    Db(#[from] sqlx::Error),
}

fn refused<T>(sentence: impl Into<String>) -> Result<T, CopyError> {
    Err(CopyError::Refused(sentence.into()))
}

/// A table and how many rows it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub table: String,
    pub rows: u64,
}

/// What was copied, and what `hub doctor` says of it, on both ends.
#[derive(Clone, Debug)]
pub struct Copied {
    pub tables: Vec<Counted>,
    pub findings: Vec<Finding>,
}

row! {
    struct VersionRow {
        version: i64,
    }
}

const BEGIN_READ_SQLITE: &str = "BEGIN";
const BEGIN_READ_POSTGRES: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const BEGIN_WRITE_SQLITE: &str = "BEGIN IMMEDIATE";
const BEGIN_WRITE_POSTGRES: &str = "BEGIN";
// What triggers do at the end of a transaction would be done to rows that are copied later.
const TRIGGERS_AT_ONCE_POSTGRES: &str = "SET CONSTRAINTS ALL IMMEDIATE";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";
const VERSIONS: &str = "SELECT version FROM _sqlx_migrations ORDER BY version";
/// Moves everything into the database file itself, so that it needs no `-wal`
/// file.
const ALONE_SQLITE: &str = "PRAGMA journal_mode = DELETE";
/// Other processes that serve from this database.
const HUBS_POSTGRES: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
     AND pid <> pg_backend_pid() AND application_name = 'hub'";

/// A connection for a tool, which migrates nothing.
///
/// # Errors
/// There is no such database.
pub async fn connect(url: &str) -> Result<Conn, CopyError> {
    Ok(open::alone(url).await?)
}

/// The same, of a database that is brought up to date first and may not be
/// there yet.
///
/// # Errors
/// The database cannot be opened or migrated.
pub async fn migrated(url: &str) -> Result<Conn, CopyError> {
    open::migrate(url).await?;
    connect(url).await
}

/// Migrations a database has had, in their order.
///
/// # Errors
/// The database fails, or was never migrated.
pub async fn versions(conn: &mut Conn) -> Result<Vec<i64>, CopyError> {
    let rows = fetch_all!(conn, VersionRow, VERSIONS);
    let rows = rows.map_err(|error| {
        CopyError::Refused(format!("there is no hub in the source database ({error})"))
    })?;
    Ok(rows.into_iter().map(|row| row.version).collect())
}

/// How many hubs serve from a PostgreSQL database; on SQLite the lock of the
/// data folder says it.
///
/// # Errors
/// The database fails.
pub async fn hubs(conn: &mut Conn) -> DbResult<i64> {
    match conn {
        Conn::Sqlite(_) => Ok(0),
        Conn::Postgres(_) => Ok(fetch_value!(conn, i64, HUBS_POSTGRES)?.unwrap_or(0)),
    }
}

/// Rows of each table.
///
/// # Errors
/// The database fails.
pub async fn counts(conn: &mut Conn) -> Result<Vec<Counted>, CopyError> {
    let mut counted = Vec::new();
    for table in schema::tables(conn).await? {
        counted.push(Counted {
            rows: rows::count(conn, &table).await?,
            table: table.name,
        });
    }
    Ok(counted)
}

/// Copies all rows of `from` into `to`, which must be migrated and empty.
/// `from` may be in use: it is read as it was when this began.
///
/// # Errors
/// `to` is as it was, and so is `from`.
pub async fn copy(from: &mut Conn, to: &mut Conn) -> Result<Copied, CopyError> {
    let begin = match from {
        Conn::Sqlite(_) => BEGIN_READ_SQLITE,
        Conn::Postgres(_) => BEGIN_READ_POSTGRES,
    };
    execute!(&mut *from, begin)?;
    let begin = match to {
        Conn::Sqlite(_) => BEGIN_WRITE_SQLITE,
        Conn::Postgres(_) => BEGIN_WRITE_POSTGRES,
    };
    execute!(&mut *to, begin)?;
    if let Conn::Postgres(_) = to {
        execute!(&mut *to, TRIGGERS_AT_ONCE_POSTGRES)?;
    }
    let copied = all(from, to).await;
    let end = if copied.is_ok() { COMMIT } else { ROLLBACK };
    let ended = execute!(&mut *to, end);
    execute!(&mut *from, ROLLBACK)?;
    let copied = copied?;
    ended?;
    Ok(copied)
}

async fn all(from: &mut Conn, to: &mut Conn) -> Result<Copied, CopyError> {
    let (theirs, ours) = (versions(from).await?, versions(to).await?);
    if theirs != ours {
        let last = |versions: &[i64]| versions.last().copied().unwrap_or_default();
        return refused(format!(
            "the source has migration {}, this program {}: run `hub migrate` of this program on the source first",
            last(&theirs),
            last(&ours)
        ));
    }
    let tables = schema::tables(from).await?;
    if tables != schema::tables(to).await? {
        return refused("source and target do not have the same tables and columns");
    }
    for counted in counts(to).await? {
        if counted.rows > 0 {
            let Counted { table, rows } = counted;
            return refused(format!(
                "the target is not empty ({table} has {rows}): give a new database"
            ));
        }
    }
    let mut counted = Vec::new();
    for table in tables {
        let read = rows::copy(from, to, &table).await?;
        let written = rows::sum(to, &table).await?;
        if read != written {
            return refused(format!(
                "{}: {} rows were read and {} written, or one of them is another",
                table.name, read.rows, written.rows
            ));
        }
        counted.push(Counted {
            table: table.name,
            rows: read.rows,
        });
    }
    let findings = checks::run(to).await?;
    if findings != checks::run(from).await? {
        return refused("`hub doctor` does not say the same of source and target");
    }
    Ok(Copied {
        tables: counted,
        findings,
    })
}

/// The database of a URL as it is at this moment, as a new SQLite file that
/// this program wrote. Servers may go on writing.
///
/// # Errors
/// The source was migrated by another version, or a database fails.
pub async fn unload(url: &str, file: &Path) -> Result<Copied, CopyError> {
    let mut from = connect(url).await?;
    let target = sqlite_url(file);
    let mut to = migrated(&target).await?;
    let copied = copy(&mut from, &mut to).await?;
    execute!(&mut to, ALONE_SQLITE)?;
    drop(to);
    files::durable(file).map_err(sqlx::Error::Io)?;
    Ok(copied)
}

/// A connection to a file of a backup, which is not written.
///
/// # Errors
/// It is not a SQLite file.
pub fn reading(file: &Path) -> DbResult<Conn> {
    Ok(Conn::Sqlite(Sqlite::reading(file)?))
}

/// The URL of a SQLite file.
pub fn sqlite_url(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}
