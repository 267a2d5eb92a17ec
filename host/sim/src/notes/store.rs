//! Where the world is kept: a SQLite file, or the same in memory.
//!
//! One connection, behind the simulator's lock. A request is one transaction: what an authority
//! answered is in the file before the answer leaves, and of a request that fails nothing is.
//! The file survives a killed process. It is not flushed to the disk (`synchronous` is off), so that
//! no answer waits for a disk, as the journal of earlier versions was not.
//!
//! A statement that fails does not end the request where it stands: the reading functions answer
//! "nothing", the failure is kept, and [`Store::end`] undoes the request and tells it.

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, OptionalExtension as _, Params, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Version of the tables. A file of a later one is not opened.
const VERSION: i64 = 1;
/// Statements kept prepared: more than there are.
const STATEMENTS: usize = 128;
/// Longest wait for another process that has the same file open.
const BUSY: Duration = Duration::from_secs(5);

/// How often a file that another process makes at this moment is tried again, and the pause before.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// Set when a file is opened: the log is taken over into it each 256 pages (1 MiB), which takes
/// about a millisecond, and what was read stays in at most 1 MiB. Without flushes from the first on.
const SETTINGS: &str = "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL;
    PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 1048576; PRAGMA cache_size = -1000;";

/// The open world.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    /// The first failure of the running request.
    failed: RefCell<Option<io::Error>>,
}

impl Store {
    /// Opens the file, or a world in memory, and makes the tables where there are none.
    ///
    /// # Errors
    /// The file cannot be used, or is of a later version.
    pub fn open(path: Option<&Path>, tables: &[&str]) -> io::Result<Self> {
        let connection = match path {
            None => Connection::open_in_memory(),
            Some(path) => {
                create(path)?;
                Connection::open(path)
            }
        };
        let store = Self {
            connection: connection.map_err(failure)?,
            failed: RefCell::new(None),
        };
        store.prepare(path.is_some(), tables).map_err(failure)?;
        Ok(store)
    }

    fn prepare(&self, in_file: bool, tables: &[&str]) -> rusqlite::Result<()> {
        self.connection.busy_timeout(BUSY)?;
        self.connection
            .set_prepared_statement_cache_capacity(STATEMENTS);
        if in_file {
            self.set()?;
        }
        if self.version()? == VERSION {
            return Ok(());
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        // Another process may have made them meanwhile.
        match self.version()? {
            0 => {
                for table in tables {
                    self.connection.execute_batch(table)?;
                }
                self.connection
                    .pragma_update(None, "user_version", VERSION)?;
            }
            VERSION => {}
            _ => return Err(rusqlite::Error::InvalidParameterName(NEWER.to_owned())),
        }
        self.connection.execute_batch("COMMIT")
    }

    /// A new file is given its log by one process; another one that comes in between is refused at
    /// once, whatever time it would wait.
    fn set(&self) -> rusqlite::Result<()> {
        let mut tries = 0;
        loop {
            match self.connection.execute_batch(SETTINGS) {
                Err(error) if tries < TRIES && is_busy(&error) => {
                    tries += 1;
                    std::thread::sleep(PAUSE);
                }
                done => return done,
            }
        }
    }

    fn version(&self) -> rusqlite::Result<i64> {
        let read = |row: &Row<'_>| row.get(0);
        self.connection.query_row("PRAGMA user_version", [], read)
    }

    /// Begins a request.
    ///
    /// # Errors
    /// The file is held by another process, or cannot be written.
    pub fn begin(&self) -> io::Result<()> {
        self.failed.take();
        // What a request that panicked left behind.
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK").map_err(failure)?;
        }
        self.statement("BEGIN IMMEDIATE")
            .and_then(|mut begin| begin.execute([]))
            .map(|_| ())
            .map_err(failure)
    }

    /// Keeps what the request changed; nothing of it when a statement failed.
    ///
    /// # Errors
    /// A statement failed, or the file cannot be written.
    pub fn end(&self) -> io::Result<()> {
        if !self.broken() {
            self.run("COMMIT", []);
        }
        let Some(error) = self.failed.take() else {
            return Ok(());
        };
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK").map_err(failure)?;
        }
        Err(error)
    }

    /// Whether a statement failed since [`Store::begin`].
    pub fn broken(&self) -> bool {
        self.failed.borrow().is_some()
    }

    /// Keeps a failure of what was read or is to be written.
    pub fn fail(&self, error: io::Error) {
        self.failed.borrow_mut().get_or_insert(error);
    }

    /// Changes rows.
    pub fn run(&self, sql: &str, binds: impl Params) {
        let done = self.statement(sql).and_then(|mut s| s.execute(binds));
        let _rows = self.kept(done);
    }

    /// Adds a row; its number.
    pub fn add(&self, sql: &str, binds: impl Params) -> i64 {
        self.run(sql, binds);
        self.connection.last_insert_rowid()
    }

    /// The first row.
    pub fn one<T>(
        &self,
        sql: &str,
        binds: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Option<T> {
        let found = self
            .statement(sql)
            .and_then(|mut s| s.query_row(binds, read).optional());
        self.kept(found).flatten()
    }

    /// The number that the first row is; 0 where there is none.
    pub fn number(&self, sql: &str, binds: impl Params) -> u64 {
        let read = |row: &Row<'_>| row.get::<_, Option<i64>>(0);
        let found = self.one(sql, binds, read).flatten().unwrap_or(0);
        u64::try_from(found).unwrap_or(0)
    }

    /// All rows.
    pub fn all<T>(
        &self,
        sql: &str,
        binds: impl Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        self.each(sql, binds, |row| {
            found.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        });
        found
    }

    /// Row by row, until one is enough.
    pub fn each(
        &self,
        sql: &str,
        binds: impl Params,
        mut see: impl FnMut(&Row<'_>) -> rusqlite::Result<ControlFlow<()>>,
    ) {
        let walked = self.statement(sql).and_then(|mut statement| {
            let mut rows = statement.query(binds)?;
            while let Some(row) = rows.next()? {
                if see(row)?.is_break() {
                    break;
                }
            }
            Ok(())
        });
        let _walked = self.kept(walked);
    }

    /// JSON of what a column keeps.
    pub fn json(&self, value: &impl Serialize) -> String {
        self.kept(serde_json::to_string(value)).unwrap_or_default()
    }

    fn statement(&self, sql: &str) -> rusqlite::Result<CachedStatement<'_>> {
        self.connection.prepare_cached(sql)
    }

    fn kept<T, E>(&self, result: Result<T, E>) -> Option<T>
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        result.map_err(|error| self.fail(failure(error))).ok()
    }
}

const NEWER: &str = "the file was made by a later version";

fn failure(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::other(error)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Makes the file, which only its owner reads: requests of systems with a login hold it. One that is
/// there is not touched: closing it would give up the locks that this process has on it.
fn create(path: &Path) -> io::Result<()> {
    if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.create_new(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A column that holds JSON.
pub(crate) struct Json<T>(pub T);

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let read = serde_json::from_str(text);
        read.map(Json)
            .map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// A number as a column holds it; what is greater is kept as the greatest.
pub(crate) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
