//! Opening and migrating either database, chosen by URL.

use super::sqlite::{Readers, Sqlite};
use super::writer::Writer;
use super::writer::calls::{Calls, Cause};
use super::{Conn, Far, Server};
use crate::ids::AccountId;
use crate::migrations;
use base::files;
use base::metrics;
use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use std::collections::HashMap;
use std::fs::File;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Connections for reading on SQLite; writing has one of its own.
const SQLITE_READERS: usize = 16;

/// How long a server may take to let somebody in.
const CONNECT: Duration = Duration::from_secs(10);

/// A process that stops in the middle of a transaction (a frozen machine, a lost
/// network) keeps its rows locked, and the other nodes wait. The server ends such
/// a session: no transaction here waits for anything but the database.
const LET_GO: &str = "SET idle_in_transaction_session_timeout = '10s'";

/// Statements here take milliseconds. The server would translate one whose rows it overestimates into
/// machine code first, which takes some hundred. And where an index names rows of many pages, it asks the disk for
/// that many pages at a time; a server that cannot says 0.
const QUICK_POSTGRES: &str = "SELECT set_config('jit', 'off', false), set_config('effective_io_concurrency', \
     CASE current_setting('effective_io_concurrency') WHEN '0' THEN '0' \
     ELSE CAST(GREATEST(64, CAST(current_setting('effective_io_concurrency') AS INTEGER)) AS TEXT) END, false)";

/// No list or report takes so long: one that would is stopped, so that the others go on, and
/// the caller is told to ask for less.
const LONGEST: Duration = Duration::from_secs(10);

/// The same for the statements of a process that serves, by the server: they wait for locks, too.
const LONGEST_POSTGRES: &str = "SET statement_timeout = '60s'";

/// Names of connections at the PostgreSQL server: `SERVING` for a process that
/// serves, `TOOL` for all others. Whoever moves a database looks for the
/// former.
const SERVING: &str = "hub";
const TOOL: &str = "hub-tool";

/// Listings and reports at the same time on SQLite: half of the processors, so
/// that the others go on issuing.
fn walkers() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().div_ceil(2))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Why a database is not open: one line, without a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("database.url must begin with sqlite: or postgres:, got {0}")]
    UnknownScheme(String),
    #[error("database.url cannot be read: {0}")]
    Url(String),
    /// Which database, and what it said.
    #[error("{0}: {1}")]
    Connect(String, String),
    #[error("database cannot be migrated: {0}")]
    Migrate(String),
}

/// The open database. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    pub(super) pools: Pools,
    /// Told of what is committed by this handle and its clones.
    pub(super) calls: Calls,
    /// Accounts that read listings or reports now, each with its turn.
    turns: Arc<Mutex<HashMap<AccountId, Arc<Semaphore>>>>,
    far: Arc<OnceLock<Arc<dyn Far>>>,
}

#[derive(Clone)]
pub(super) enum Pools {
    Sqlite {
        readers: Readers,
        walkers: Readers,
        writer: Writer,
    },
    Postgres(PgPool),
}

impl Db {
    /// Opens `sqlite:/path/hub.db` or `postgres://…` and brings the schema up
    /// to date.
    ///
    /// # Errors
    /// A sentence with the reason; the URL's password is never in it.
    pub async fn open(url: &str, pool_size: u32) -> Result<Db, OpenError> {
        Db::open_as(url, pool_size, TOOL).await
    }

    /// The same, for a process that serves: on PostgreSQL others can see that
    /// it does.
    ///
    /// # Errors
    /// As `open`.
    pub async fn serve(url: &str, pool_size: u32) -> Result<Db, OpenError> {
        Db::open_as(url, pool_size, SERVING).await
    }

    async fn open_as(url: &str, pool_size: u32, name: &str) -> Result<Db, OpenError> {
        migrate(url).await?;
        let calls = Calls::default();
        let pools = match engine(url)? {
            Engine::Sqlite => {
                let file = sqlite_options(url)?.get_filename().to_owned();
                let failed = |error: sqlx::Error| sqlite_failed(&file, &error);
                Pools::Sqlite {
                    writer: Writer::start(file.clone(), calls.clone()).map_err(failed)?,
                    walkers: Readers::walking(file.clone(), walkers()),
                    readers: Readers::new(file.clone(), SQLITE_READERS),
                }
            }
            Engine::Postgres => Pools::Postgres(pool(url, pool_size, name).await?),
        };
        Ok(Db {
            pools,
            calls,
            turns: Arc::default(),
            far: Arc::default(),
        })
    }

    /// Hears, from now on, when a transaction of this handle or of a clone is durable that
    /// wrote something of a kind.
    pub fn hear(&self, cause: Cause) -> watch::Receiver<()> {
        self.calls.hear(cause)
    }

    /// Says where packed records are that moved; once, before anything is read.
    pub fn reach(&self, far: Arc<dyn Far>) {
        self.far.get_or_init(|| far);
    }

    pub fn engine(&self) -> Engine {
        match self.pools {
            Pools::Sqlite { .. } => Engine::Sqlite,
            Pools::Postgres(_) => Engine::Postgres,
        }
    }

    /// A connection for reading by key. Do not write with it: on SQLite only
    /// the writer may.
    ///
    /// # Errors
    /// The pool is exhausted or the server is gone.
    pub async fn read(&self) -> Result<Conn, sqlx::Error> {
        let asked = Instant::now();
        let conn = match &self.pools {
            Pools::Sqlite { readers, .. } => self.sqlite(readers.lend(None, None).await?),
            Pools::Postgres(pool) => self.server(pool).await?,
        };
        metrics::POOL_WAIT.took(["reader"], asked.elapsed());
        Ok(conn)
    }

    /// A connection for listings and reports, which may walk many rows: one at
    /// a time for each account, so that a large one makes only itself wait. On
    /// PostgreSQL the turn ends when the caller goes away, though the server
    /// may still be at it. A statement that takes too long is stopped, after [`LONGEST`] on SQLite
    /// and by the server's own limit on PostgreSQL; who asked is told.
    ///
    /// # Errors
    /// The pool is exhausted or the server is gone.
    pub async fn walk(&self, account: &AccountId) -> Result<Walk, sqlx::Error> {
        // Work of operators belongs to no account.
        let longest = (!account.is_empty()).then_some(LONGEST);
        self.walk_within(account, longest).await
    }

    /// As [`Db::walk`], for work that no caller waits for: its statements may take any time.
    ///
    /// # Errors
    /// As `walk`.
    pub async fn walk_on(&self, account: &AccountId) -> Result<Walk, sqlx::Error> {
        self.walk_within(account, None).await
    }

    /// As [`Db::walk`], with another time after which a statement is stopped on SQLite.
    ///
    /// # Errors
    /// As `walk`.
    pub async fn walk_within(
        &self,
        account: &AccountId,
        longest: Option<Duration>,
    ) -> Result<Walk, sqlx::Error> {
        let asked = Instant::now();
        let turns = {
            let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, turns| Arc::strong_count(turns) > 1);
            let turns = all.entry(account.to_owned());
            turns.or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
        };
        let turn = turns.acquire_owned().await;
        let turn = turn.map_err(|_| sqlx::Error::PoolClosed)?;
        let walk = match &self.pools {
            Pools::Sqlite { walkers, .. } => Walk {
                conn: self.sqlite(walkers.lend(Some(turn), longest).await?),
                _turn: None,
            },
            Pools::Postgres(pool) => Walk {
                conn: self.server(pool).await?,
                _turn: Some(turn),
            },
        };
        metrics::POOL_WAIT.took(["walker"], asked.elapsed());
        Ok(walk)
    }

    fn sqlite(&self, mut conn: Sqlite) -> Conn {
        conn.far = self.far.get().cloned();
        Conn::Sqlite(conn)
    }

    async fn server(&self, pool: &PgPool) -> Result<Conn, sqlx::Error> {
        let far = self.far.get().cloned();
        Ok(Conn::Postgres(Server::new(pool.acquire().await?, far)))
    }
}

/// A connection that may walk many rows.
pub struct Walk {
    conn: Conn,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Deref for Walk {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl DerefMut for Walk {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.conn
    }
}

/// The engine of an address.
///
/// # Errors
/// [`OpenError::UnknownScheme`].
pub fn engine(url: &str) -> Result<Engine, OpenError> {
    match url.split(':').next().unwrap_or_default() {
        "sqlite" => Ok(Engine::Sqlite),
        "postgres" | "postgresql" => Ok(Engine::Postgres),
        other => Err(OpenError::UnknownScheme(other.chars().take(20).collect())),
    }
}

/// Brings the schema up to date, and makes a SQLite file where there is none.
///
/// # Errors
/// The database cannot be opened, or has what this program does not know.
pub(super) async fn migrate(url: &str) -> Result<(), OpenError> {
    match engine(url)? {
        Engine::Sqlite => {
            let options = sqlite_options(url)?.create_if_missing(true);
            let file = options.get_filename().to_owned();
            let failed = |error| sqlite_failed(&file, &sqlx::Error::Io(error));
            private(&file).map_err(failed)?;
            let _turn = turn(&file).await.map_err(failed)?;
            let connected = options.connect().await;
            let mut conn: SqliteConnection =
                connected.map_err(|error| sqlite_failed(&file, &error))?;
            let migrated = migrations::sqlite().run(&mut conn).await;
            migrated.map_err(|error| match error {
                MigrateError::Execute(error) => sqlite_failed(&file, &error),
                other => OpenError::Migrate(reason(&other)),
            })?;
            let closed = conn.close().await;
            closed.map_err(|error| sqlite_failed(&file, &error))
        }
        Engine::Postgres => {
            let options = postgres_options(url)?;
            let mut conn = postgres(url).await?;
            let migrated = migrations::postgres().run(&mut conn).await;
            migrated.map_err(|error| match error {
                MigrateError::Execute(error) => postgres_failed(&options, &error),
                other => OpenError::Migrate(reason(&other)),
            })?;
            drop(conn.close().await);
            Ok(())
        }
    }
}

/// A connection of its own to a database that is there, which migrates nothing.
///
/// # Errors
/// The database cannot be opened.
pub(super) async fn alone(url: &str) -> Result<Conn, OpenError> {
    match engine(url)? {
        Engine::Sqlite => {
            let file = sqlite_options(url)?.get_filename().to_owned();
            let failed = |error: sqlx::Error| sqlite_failed(&file, &error);
            Ok(Conn::Sqlite(Sqlite::open(&file).map_err(failed)?))
        }
        Engine::Postgres => {
            let pool = pool(url, 1, TOOL).await?;
            let options = postgres_options(url)?;
            let acquired = pool.acquire().await;
            let failed = |error: sqlx::Error| postgres_failed(&options, &error);
            Ok(Conn::Postgres(Server::new(acquired.map_err(failed)?, None)))
        }
    }
}

pub(super) fn sqlite_options(url: &str) -> Result<SqliteConnectOptions, OpenError> {
    SqliteConnectOptions::from_str(url)
        .map_err(|error| OpenError::Url(one_line(&error.to_string())))
}

/// Makes a database readable for its owner only. SQLite gives new `-wal` and
/// `-shm` files the permissions of the database; those an earlier version made
/// are changed here.
fn private(file: &Path) -> std::io::Result<()> {
    files::private(file)?;
    for companion in ["-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(companion);
        let path = Path::new(&path);
        if path.exists() {
            files::private(path)?;
        }
    }
    Ok(())
}

pub(super) fn postgres_options(url: &str) -> Result<PgConnectOptions, OpenError> {
    // What cannot be read may be the password: the text is not shown.
    PgConnectOptions::from_str(url).map_err(|_| {
        OpenError::Url(
            "expected postgres://user:password@host:port/database; special characters of the password as %40 for @"
                .to_owned(),
        )
    })
}

/// A process's turn to make the tables, of several that find none: the others wait. It is a
/// lock of the folder itself, as one of [`files::HUB`] would keep commands away from a hub
/// that runs.
async fn turn(file: &Path) -> std::io::Result<File> {
    let folder = file.parent().filter(|path| !path.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")))?;
    let waited = tokio::task::spawn_blocking(move || match files::wait(&folder) {
        // A file system without locks: one process at a time is then the operator's part.
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => Ok(folder),
        locked => locked.map(|()| folder),
    });
    waited.await?
}

/// Opens one connection, to learn why a server refuses: a pool would try until
/// its time is over and lose the reason.
async fn postgres(url: &str) -> Result<PgConnection, OpenError> {
    let options = postgres_options(url)?.application_name(TOOL);
    let connecting = PgConnection::connect_with(&options);
    match tokio::time::timeout(CONNECT, connecting).await {
        Ok(Ok(conn)) => Ok(conn),
        Ok(Err(error)) => Err(postgres_failed(&options, &error)),
        Err(_) => Err(OpenError::Connect(
            which(&options),
            format!("no answer within {} s", CONNECT.as_secs()),
        )),
    }
}

async fn pool(url: &str, size: u32, name: &str) -> Result<PgPool, OpenError> {
    let options = postgres_options(url)?.application_name(name);
    let serves = name == SERVING;
    let connected = PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(CONNECT)
        .after_connect(move |conn, _| {
            Box::pin(async move {
                sqlx::query(LET_GO).execute(&mut *conn).await?;
                sqlx::query(QUICK_POSTGRES).execute(&mut *conn).await?;
                if serves {
                    sqlx::query(LONGEST_POSTGRES).execute(&mut *conn).await?;
                }
                Ok(())
            })
        })
        .connect_with(options.clone())
        .await;
    connected.map_err(|error| postgres_failed(&options, &error))
}

/// The database without its password: `PostgreSQL hub@db.example:5432/hub`.
fn which(options: &PgConnectOptions) -> String {
    let (user, host) = (options.get_username(), options.get_host());
    let place = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{host}:{}", options.get_port()),
    };
    let database = options.get_database().unwrap_or(user);
    format!("database PostgreSQL {user}@{place}/{database}")
}

pub(super) fn postgres_failed(options: &PgConnectOptions, error: &sqlx::Error) -> OpenError {
    use std::io::ErrorKind;
    let said = match error {
        sqlx::Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
            ErrorKind::NotFound => "there is no such socket".to_owned(),
            _ => one_line(&error.to_string()),
        },
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some("28P01" | "28000") => "user or password refused".to_owned(),
            Some("3D000") => "there is no such database; create it first".to_owned(),
            Some("53300") => {
                "the server has no connection left; lower database.pool_size".to_owned()
            }
            _ => one_line(error.message()),
        },
        sqlx::Error::Tls(error) => format!("TLS: {}", one_line(&error.to_string())),
        sqlx::Error::PoolTimedOut => format!("no connection within {} s", CONNECT.as_secs()),
        other => one_line(&other.to_string()),
    };
    OpenError::Connect(which(options), said)
}

fn sqlite_failed(file: &Path, error: &sqlx::Error) -> OpenError {
    use std::io::ErrorKind;
    let said = match error {
        sqlx::Error::Io(error) => match error.kind() {
            ErrorKind::NotFound => "its folder does not exist".to_owned(),
            ErrorKind::PermissionDenied => "this user may not write it".to_owned(),
            _ => one_line(&error.to_string()),
        },
        sqlx::Error::Database(error) => match error.code().as_deref() {
            // Primary codes of SQLite: NOTADB, CANTOPEN, READONLY, CORRUPT.
            Some("26") => "it is not a SQLite database".to_owned(),
            Some("14") => {
                "it cannot be opened: is its path right, and may this user write there?".to_owned()
            }
            Some("8") => "it may not be written".to_owned(),
            Some("11") => "it is damaged; restore a backup".to_owned(),
            _ => one_line(error.message()),
        },
        other => one_line(&other.to_string()),
    };
    OpenError::Connect(format!("database SQLite {}", file.display()), said)
}

/// Why a migration failed, in the words that help.
fn reason(error: &MigrateError) -> String {
    match error {
        MigrateError::VersionMissing(version) | MigrateError::VersionTooNew(version, _) => format!(
            "it has migration {version}, which this program does not know: a newer hub has used it"
        ),
        other => one_line(&other.to_string()),
    }
}

fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}
