//! Connections to a SQLite file.
//!
//! A statement on pages that are in memory takes some microseconds; handing
//! it to another thread and waiting for the answer takes more. So a statement
//! that finds its rows by key runs where it is asked for, and a writing one on
//! the thread that owns the writing connection. One that walks many rows would
//! keep the whole server waiting: it runs on a thread of its own, on a
//! connection lent for that (docs/decisions/0004).

use super::{DbResult, Far, unreadable};
use futures::future::{Either, ready};
use rusqlite::types::{FromSql, ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Row, Rows, Statement};
use sqlx::error::{DatabaseError, ErrorKind};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Prepared statements a connection remembers: more than there are.
const STATEMENTS: usize = 256;
/// Longest wait for another process that holds the file.
const BUSY: Duration = Duration::from_secs(5);
/// Pause after which a statement that shall stop is told again.
const TELL_AGAIN: Duration = Duration::from_millis(20);
/// FULL: a transmitted note must survive a power cut.
const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1000; \
     PRAGMA wal_autocheckpoint = 4000";

/// Pages the writing connection keeps, 16 MB: a note touches pages of many tables and
/// indexes, and the next note touches them again (docs/decisions/0004). Beyond 64 MB the
/// `-wal` file, which grows while a backup is made, is cut when it is begun again.
const WRITER_SETTINGS: &str = "PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864";

/// A connection of its own, or one lent by the readers.
pub struct Sqlite {
    /// None only after the drop, and while a statement that walks many rows
    /// uses it on another thread.
    connection: Option<Connection>,
    lent: Option<Arc<Lent>>,
    /// Where records are that moved; only for reading.
    pub(crate) far: Option<Arc<dyn Far>>,
}

struct Lent {
    readers: Arc<Mutex<Vec<Connection>>>,
    /// Statements run on a thread of their own, because they may walk many
    /// rows.
    walks: bool,
    /// Longest time of one statement; None: it may take any.
    longest: Option<Duration>,
    _places: Vec<OwnedSemaphorePermit>,
}

/// What a row becomes; `row!` implements it for structs.
pub trait FromSqlite: Sized {
    /// # Errors
    /// A column is missing or holds another type.
    fn read(row: &Row<'_>) -> rusqlite::Result<Self>;
}

/// A row of the values of its columns, by their names; `row!` implements it for structs.
pub trait FromValues: Sized {
    /// # Errors
    /// A column is missing or holds another type.
    fn from_values<'v>(value: impl Fn(&str) -> Option<ValueRef<'v>>) -> DbResult<Self>;
}

impl FromSqlite for i64 {
    fn read(row: &Row<'_>) -> rusqlite::Result<i64> {
        row.get(0)
    }
}

impl Sqlite {
    /// # Errors
    /// The file cannot be opened.
    pub fn open(file: &Path) -> DbResult<Sqlite> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || {
            let connection = Connection::open_with_flags(file, flags)?;
            connection.busy_timeout(BUSY)?;
            connection.execute_batch(SETTINGS)?;
            connection.set_prepared_statement_cache_capacity(STATEMENTS);
            Ok(connection)
        };
        Ok(Sqlite {
            connection: Some(open().map_err(failed)?),
            lent: None,
            far: None,
        })
    }

    /// The one connection that writes.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn for_writing(file: &Path) -> DbResult<Sqlite> {
        let connection = Sqlite::open(file)?;
        connection.with(|own| own.execute_batch(WRITER_SETTINGS))?;
        Ok(connection)
    }

    /// Opens a file nobody else uses, for reading.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn reading(file: &Path) -> DbResult<Sqlite> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags).map_err(failed)?;
        Ok(Sqlite {
            connection: Some(connection),
            lent: None,
            far: None,
        })
    }

    /// Runs what no statement of a constant can say.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn with<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> DbResult<T> {
        run(self.connection()?).map_err(failed)
    }

    /// A transaction was begun and is neither committed nor undone.
    pub fn in_transaction(&self) -> bool {
        self.connection
            .as_ref()
            .is_some_and(|connection| !connection.is_autocommit())
    }

    /// # Errors
    /// The statement fails; the answer is the number of rows it changed.
    pub fn execute(&mut self, sql: &str, binds: &[&dyn ToSql]) -> DbResult<u64> {
        let connection = self.connection()?;
        run(connection, sql, binds, |rows| {
            while rows.next()?.is_some() {}
            Ok(connection.changes())
        })
    }

    /// The first row, if there is one.
    ///
    /// # Errors
    /// The statement fails, or the row is not a `T`.
    pub fn first<T: FromSqlite>(&mut self, sql: &str, binds: &[&dyn ToSql]) -> DbResult<Option<T>> {
        run(self.connection()?, sql, binds, |rows| {
            rows.next()?.map(|row| T::read(row)).transpose()
        })
    }

    /// All rows.
    ///
    /// # Errors
    /// The statement fails, or a row is not a `T`.
    pub fn all<T: FromSqlite + Send + 'static>(
        &mut self,
        sql: &'static str,
        binds: &[&dyn ToSql],
    ) -> impl Future<Output = DbResult<Vec<T>>> + Send + use<'_, T> {
        let lent = self.lent.clone().filter(|lent| lent.walks);
        let Some(lent) = lent else {
            let rows = self
                .connection()
                .and_then(|connection| rows(connection, sql, binds));
            return Either::Left(ready(rows));
        };
        let binds = binds
            .iter()
            .map(|bind| owned(*bind))
            .collect::<Result<Vec<_>, _>>();
        Either::Right(async move {
            let binds = binds.map_err(failed)?;
            let connection = self.connection.take().ok_or(sqlx::Error::PoolClosed)?;
            let longest = lent.longest;
            let stop = connection.get_interrupt_handle();
            let mut walk = tokio::task::spawn_blocking(move || {
                // Held until the statement ends, even when the caller goes
                // away: this bounds how many walk at once.
                let _lent = lent;
                let binds: Vec<&dyn ToSql> = binds.iter().map(|bind| bind as &dyn ToSql).collect();
                let rows = rows(&connection, sql, &binds);
                (connection, rows)
            });
            let walked = match longest {
                None => walk.await,
                Some(longest) => match tokio::time::timeout(longest, &mut walk).await {
                    Ok(walked) => walked,
                    // The statement ends with INTERRUPT, and the connection is good for more.
                    // One that has not begun yet is not stopped: it is told again.
                    Err(_) => loop {
                        stop.interrupt();
                        if let Ok(walked) = tokio::time::timeout(TELL_AGAIN, &mut walk).await {
                            break walked;
                        }
                    },
                },
            };
            let (connection, rows) = walked.map_err(|_| sqlx::Error::WorkerCrashed)?;
            self.connection = Some(connection);
            rows
        })
    }

    fn connection(&self) -> DbResult<&Connection> {
        self.connection.as_ref().ok_or(sqlx::Error::PoolClosed)
    }
}

fn rows<T: FromSqlite>(
    connection: &Connection,
    sql: &str,
    binds: &[&dyn ToSql],
) -> DbResult<Vec<T>> {
    run(connection, sql, binds, |rows| {
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(T::read(row)?);
        }
        Ok(all)
    })
}

fn run<T>(
    connection: &Connection,
    sql: &str,
    binds: &[&dyn ToSql],
    read: impl FnOnce(&mut Rows<'_>) -> rusqlite::Result<T>,
) -> DbResult<T> {
    let ran = (|| {
        let mut statement = connection.prepare_cached(sql)?;
        for (at, bind) in order(&statement, sql)?.iter().enumerate() {
            let position = at + 1;
            let value = binds.get(*bind);
            let value = value.ok_or(rusqlite::Error::InvalidParameterCount(
                binds.len(),
                position,
            ))?;
            statement.raw_bind_parameter(position, value)?;
        }
        read(&mut statement.raw_query())
    })();
    ran.map_err(failed)
}

/// Statements of which a thread remembers where their values go: more than there are.
const ORDERS: usize = 512;

/// A statement, and which value each of its parameters takes.
struct Order {
    sql: Box<str>,
    values: Rc<[usize]>,
}

thread_local! {
    /// By the address of the text, which is compared: another text may come to stand there.
    static KNOWN: RefCell<HashMap<usize, Order>> = RefCell::default();
}

/// Which value each parameter of a statement takes, from 0. SQLite numbers `$2` by where
/// it first stands, not by its name, and looks for a name along all of them.
fn order(statement: &Statement<'_>, sql: &str) -> rusqlite::Result<Rc<[usize]>> {
    let address = sql.as_ptr().addr();
    let known = KNOWN.with_borrow(|known| {
        let order = known.get(&address).filter(|order| *order.sql == *sql)?;
        Some(order.values.clone())
    });
    if let Some(values) = known {
        return Ok(values);
    }
    let number = |position| {
        let name = statement.parameter_name(position);
        let number = name.and_then(|name| name.get(1..)?.parse::<usize>().ok());
        let value = number.and_then(|number| number.checked_sub(1));
        value.ok_or(rusqlite::Error::InvalidParameterCount(0, position))
    };
    let values: Rc<[usize]> = (1..=statement.parameter_count())
        .map(number)
        .collect::<rusqlite::Result<_>>()?;
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= ORDERS {
            known.clear();
        }
        let order = Order {
            sql: sql.into(),
            values: values.clone(),
        };
        known.insert(address, order);
    });
    Ok(values)
}

fn owned(bind: &dyn ToSql) -> rusqlite::Result<Value> {
    let value = match bind.to_sql()? {
        ToSqlOutput::Owned(value) => Some(value),
        ToSqlOutput::Borrowed(value) => Value::try_from(value).ok(),
        _ => None,
    };
    value.ok_or(rusqlite::Error::InvalidQuery)
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        if let (Some(connection), Some(lent)) = (self.connection.take(), &self.lent) {
            let mut readers = lent.readers.lock().unwrap_or_else(PoisonError::into_inner);
            readers.push(connection);
        }
    }
}

/// Connections for reading, opened when they are first needed.
#[derive(Clone)]
pub struct Readers {
    file: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
    places: Arc<Semaphore>,
    walk: bool,
}

impl Readers {
    /// For statements that find their rows by key.
    pub fn new(file: PathBuf, most: usize) -> Readers {
        Readers {
            file,
            idle: Arc::default(),
            places: Arc::new(Semaphore::new(most)),
            walk: false,
        }
    }

    /// For statements that walk many rows.
    pub fn walking(file: PathBuf, most: usize) -> Readers {
        Readers {
            walk: true,
            ..Readers::new(file, most)
        }
    }

    /// Waits until one is free; `turn` is held as long as the connection is in
    /// use. A statement that walks is stopped after `longest`.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub async fn lend(
        &self,
        turn: Option<OwnedSemaphorePermit>,
        longest: Option<Duration>,
    ) -> DbResult<Sqlite> {
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| sqlx::Error::PoolClosed)?;
        let lent = Lent {
            readers: self.idle.clone(),
            walks: self.walk,
            longest,
            _places: turn.into_iter().chain([place]).collect(),
        };
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut sqlite = match idle {
            Some(connection) => Sqlite {
                connection: Some(connection),
                lent: None,
                far: None,
            },
            None => Sqlite::open(&self.file)?,
        };
        sqlite.lent = Some(Arc::new(lent));
        Ok(sqlite)
    }
}

/// A struct whose fields are the columns of a row, on either engine.
macro_rules! row {
    ($(#[$about:meta])* $visible:vis struct $name:ident { $($(#[$detail:meta])* $shown:vis $field:ident : $type:ty),* $(,)? }) => {
        $(#[$about])*
        $visible struct $name { $($(#[$detail])* $shown $field: $type),* }

        impl sqlx::FromRow<'_, sqlx::postgres::PgRow> for $name {
            fn from_row(row: &sqlx::postgres::PgRow) -> sqlx::Result<Self> {
                let column = |name: &'static str| name.trim_start_matches("r#");
                Ok($name { $($field: sqlx::Row::try_get(row, column(stringify!($field)))?),* })
            }
        }

        impl $crate::sqlite::FromSqlite for $name {
            fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut place = 0..;
                Ok($name { $($field: $crate::sqlite::column(row, &mut place, stringify!($field))?),* })
            }
        }

        impl $crate::sqlite::FromValues for $name {
            fn from_values<'v>(value: impl Fn(&str) -> Option<rusqlite::types::ValueRef<'v>>) -> $crate::DbResult<Self> {
                Ok($name { $($field: $crate::sqlite::valued(&value, stringify!($field))?),* })
            }
        }
    };
}

pub(crate) use row;

/// The column of this name among values that stand in no table yet.
pub(super) fn valued<'v, T: FromSql>(
    value: impl Fn(&str) -> Option<ValueRef<'v>>,
    field: &str,
) -> DbResult<T> {
    let name = field.trim_start_matches("r#");
    let read = value(name).and_then(|value| T::column_result(value).ok());
    read.ok_or_else(|| unreadable("a column", name))
}

/// The column of this name. Columns mostly stand in the order of the fields,
/// so the next place is looked at first.
pub(super) fn column<T: FromSql>(
    row: &Row<'_>,
    place: &mut std::ops::RangeFrom<usize>,
    field: &str,
) -> rusqlite::Result<T> {
    let name = field.trim_start_matches("r#");
    match place.next() {
        Some(place)
            if row
                .as_ref()
                .column_name(place)
                .is_ok_and(|there| there == name) =>
        {
            row.get(place)
        }
        _ => row.get(name),
    }
}

/// A failure of SQLite as an error of sqlx, which all other code knows.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(rusqlite::Error);

fn failed(error: rusqlite::Error) -> sqlx::Error {
    sqlx::Error::Database(Box::new(Failed(error)))
}

impl DatabaseError for Failed {
    fn message(&self) -> &str {
        match &self.0 {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            _ => "SQLite failed",
        }
    }

    /// SQLite's extended result code.
    fn code(&self) -> Option<Cow<'_, str>> {
        let code = self.0.sqlite_error()?.extended_code;
        Some(Cow::Owned(code.to_string()))
    }

    fn kind(&self) -> ErrorKind {
        use rusqlite::ffi;
        match self.0.sqlite_error().map(|error| error.extended_code) {
            Some(ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY) => {
                ErrorKind::UniqueViolation
            }
            Some(ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => ErrorKind::ForeignKeyViolation,
            Some(ffi::SQLITE_CONSTRAINT_NOTNULL) => ErrorKind::NotNullViolation,
            Some(ffi::SQLITE_CONSTRAINT_CHECK) => ErrorKind::CheckViolation,
            _ => ErrorKind::Other,
        }
    }

    fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
        self
    }
}
