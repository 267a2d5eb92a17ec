//! Opening and migrating either database, chosen by URL.

use super::Conn;
use super::sqlite::Readers;
use super::write::Writer;
use crate::files;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections for reading on SQLite; writing has one of its own.
const SQLITE_READERS: usize = 16;

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

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("database URL must begin with sqlite: or postgres:, got {0}")]
    UnknownScheme(String),
    #[error("database cannot be opened: {0}")]
    Connect(#[from] sqlx::Error),
    #[error("database cannot be migrated: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
}

/// The open database. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    pub(super) pools: Pools,
    /// Accounts that read listings or reports now, each with its turn.
    turns: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
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
        let scheme = url.split(':').next().unwrap_or_default();
        let pools = match scheme {
            "sqlite" => open_sqlite(url).await?,
            "postgres" | "postgresql" => open_postgres(url, pool_size).await?,
            other => return Err(OpenError::UnknownScheme(other.chars().take(20).collect())),
        };
        Ok(Db {
            pools,
            turns: Arc::default(),
        })
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
        match &self.pools {
            Pools::Sqlite { readers, .. } => Ok(Conn::Sqlite(readers.lend(None).await?)),
            Pools::Postgres(pool) => Ok(Conn::Postgres(pool.acquire().await?)),
        }
    }

    /// A connection for listings and reports, which may walk many rows: one at
    /// a time for each account, so that a large one makes only itself wait. On
    /// PostgreSQL the turn ends when the caller goes away, though the server
    /// may still be at it.
    ///
    /// # Errors
    /// The pool is exhausted or the server is gone.
    pub async fn walk(&self, account: &str) -> Result<Walk, sqlx::Error> {
        let turns = {
            let mut all = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, turns| Arc::strong_count(turns) > 1);
            let turns = all.entry(account.to_owned());
            turns.or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
        };
        let turn = turns.acquire_owned().await;
        let turn = turn.map_err(|_| sqlx::Error::PoolClosed)?;
        match &self.pools {
            Pools::Sqlite { walkers, .. } => Ok(Walk {
                conn: Conn::Sqlite(walkers.lend(Some(turn)).await?),
                _turn: None,
            }),
            Pools::Postgres(pool) => Ok(Walk {
                conn: Conn::Postgres(pool.acquire().await?),
                _turn: Some(turn),
            }),
        }
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

async fn open_sqlite(url: &str) -> Result<Pools, OpenError> {
    let options = SqliteConnectOptions::from_str(url)?.create_if_missing(true);
    let file = options.get_filename().to_owned();
    // SQLite gives its companions the permissions of the database. One that
    // an earlier version made has companions of its own.
    files::private(&file).map_err(sqlx::Error::Io)?;
    for companion in ["-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(companion);
        let path = Path::new(&path);
        if path.exists() {
            files::private(path).map_err(sqlx::Error::Io)?;
        }
    }
    let mut migrating: SqliteConnection = options.connect().await?;
    sqlx::migrate!("../../migrations/sqlite")
        .run(&mut migrating)
        .await?;
    migrating.close().await?;
    Ok(Pools::Sqlite {
        writer: Writer::start(file.clone())?,
        walkers: Readers::walking(file.clone(), walkers()),
        readers: Readers::new(file, SQLITE_READERS),
    })
}

async fn open_postgres(url: &str, pool_size: u32) -> Result<Pools, OpenError> {
    let options = PgConnectOptions::from_str(url)?;
    let pool = PgPoolOptions::new()
        .max_connections(pool_size)
        .acquire_timeout(Duration::from_secs(10))
        .connect_with(options)
        .await?;
    sqlx::migrate!("../../migrations/postgres")
        .run(&pool)
        .await?;
    Ok(Pools::Postgres(pool))
}
