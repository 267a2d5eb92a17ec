//! Which nodes live, where several share one PostgreSQL: each holds an
//! advisory lock of its name on a connection of its own. The lock is gone with
//! the connection, so who can take it knows that the other's session has ended
//! and takes its leases, without waiting for them to run out.
//!
//! On SQLite the lock of the data folder says the same of the one process.

use crate::open::{self, OpenError};
use crate::tables::{compras, exportacoes, flows, lotes, mails, reembolsos, webhooks};
use crate::{Conn, Db, DbResult, Engine, TxError, fetch_all, row};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Beginning of the names of nodes that have a session. Names of earlier
/// versions begin otherwise; such a node counts as alive until its leases run
/// out.
pub const PREFIX: &str = "hub";

/// The connection's name at the server.
const APPLICATION: &str = "hub-presence";
/// How often a node makes sure of its session, and tries to have one again.
const CHECK: Duration = Duration::from_millis(250);
/// A server that does not answer for so long may have ended the session.
const ANSWER: Duration = Duration::from_secs(3);
/// After so many seconds of silence, so many questions of one second each, the
/// server ends the session of a machine that is gone without a word.
const KEEPALIVE: [(&str, &str); 3] = [
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_interval", "1"),
    ("tcp_keepalives_count", "4"),
];

const HOLD_POSTGRES: &str = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))";
const ALIVE_POSTGRES: &str = "SELECT true";
const GONE_POSTGRES: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))";
const OWNERS: &str = "SELECT lease_owner AS name FROM flows WHERE phase <> 'done' AND lease_owner <> '' AND lease_owner <> $1 \
     UNION SELECT lease_owner FROM exportacoes WHERE status = 'processando' AND lease_owner <> '' AND lease_owner <> $1 \
     UNION SELECT lease_owner FROM lotes WHERE status = 'emitindo' AND lease_owner <> '' AND lease_owner <> $1 \
     UNION SELECT lease_owner FROM webhooks WHERE lease_owner <> '' AND lease_owner <> $1 \
     UNION SELECT lease_owner FROM mails WHERE lease_owner <> '' AND lease_owner <> $1 \
     UNION SELECT lease_owner FROM compras WHERE lease_owner <> '' AND lease_owner <> $1 \
     UNION SELECT lease_owner FROM reembolsos WHERE lease_owner <> '' AND lease_owner <> $1";

/// This node's session. Clones are the same one.
#[derive(Clone)]
pub struct Presence {
    name: String,
    stands: Arc<AtomicBool>,
    /// Ends the session when told, or with the last clone.
    leave: Arc<watch::Sender<bool>>,
}

impl Presence {
    /// Enters under a name nobody else has.
    ///
    /// # Errors
    /// On PostgreSQL: no connection, or the name is taken.
    pub async fn enter(db: &Db, url: &str, name: &str) -> Result<Presence, OpenError> {
        let (leave, left) = watch::channel(false);
        let presence = Presence {
            name: name.to_owned(),
            stands: Arc::new(AtomicBool::new(true)),
            leave: Arc::new(leave),
        };
        if db.engine() == Engine::Postgres {
            let options = open::postgres_options(url)?
                .application_name(APPLICATION)
                .options(KEEPALIVE);
            let held = hold(&options, name)
                .await
                .map_err(|error| open::postgres_failed(&options, &error))?;
            let (name, stands) = (presence.name.clone(), presence.stands.clone());
            tokio::spawn(keep(options, name, held, stands, left));
        }
        Ok(presence)
    }

    /// Whether this node's leases are its own: false while its session is gone,
    /// when others may take them, and after it left.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.stands.load(Ordering::Acquire)
    }

    /// The end of an orderly stop: nothing more is sent, and what this node
    /// still held is anybody's at once.
    ///
    /// # Errors
    /// The leases could not be given back; they go with the session.
    pub async fn leave(&self, db: &Db) -> Result<(), TxError<Infallible>> {
        self.stands.store(false, Ordering::Release);
        let released = if db.engine() == Engine::Postgres {
            db.write(self.name.clone(), |name, conn| {
                Box::pin(async move { Ok(release_of(conn, name).await?) })
            })
            .await
        } else {
            Ok(())
        };
        self.leave.send_replace(true);
        released
    }
}

/// Whether a node's session is over. The lock is given back at once, or with
/// the transaction this is asked in.
///
/// # Errors
/// The database failed.
pub async fn gone(conn: &mut Conn, name: &str) -> DbResult<bool> {
    match conn {
        // Its one process asks nobody.
        Conn::Sqlite(_) => Ok(false),
        Conn::Postgres(conn) => {
            let asked = sqlx::query_scalar(GONE_POSTGRES).bind(name);
            asked.fetch_one(&mut **conn).await
        }
    }
}

/// Frees the leases of a node whose session is over; false when the node has a
/// session again.
///
/// # Errors
/// The database failed.
pub async fn take(conn: &mut Conn, name: &str) -> DbResult<bool> {
    let gone = gone(conn, name).await?;
    if gone {
        release_of(conn, name).await?;
    }
    Ok(gone)
}

row! {
    struct Owner {
        name: String,
    }
}

/// Who holds a lease of anything, but for this node.
///
/// # Errors
/// The database failed.
pub async fn owners(conn: &mut Conn, but: &str) -> DbResult<Vec<String>> {
    let rows = fetch_all!(conn, Owner, OWNERS, but)?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// Frees what anybody held: right when one process alone uses the database and
/// has just started.
///
/// # Errors
/// The database failed.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    exportacoes::release_all(conn).await?;
    lotes::release_all(conn).await?;
    webhooks::release_all(conn).await?;
    mails::release_all(conn).await?;
    compras::release_all(conn).await?;
    reembolsos::release_all(conn).await?;
    flows::release_all(conn).await
}

async fn release_of(conn: &mut Conn, name: &str) -> DbResult<()> {
    exportacoes::release_of(conn, name).await?;
    lotes::release_of(conn, name).await?;
    webhooks::release_of(conn, name).await?;
    mails::release_of(conn, name).await?;
    compras::release_of(conn, name).await?;
    reembolsos::release_of(conn, name).await?;
    flows::release_of(conn, name).await
}

/// A session that holds the lock of a name.
async fn hold(options: &PgConnectOptions, name: &str) -> sqlx::Result<PgConnection> {
    let taken = async {
        let mut conn = options.connect().await?;
        let asked = sqlx::query_scalar(HOLD_POSTGRES).bind(name);
        if asked.fetch_one(&mut conn).await? {
            Ok(conn)
        } else {
            let held = format!("another session holds the lock of {name}");
            Err(sqlx::Error::Protocol(held))
        }
    };
    let taken = tokio::time::timeout(ANSWER, taken).await;
    taken.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

async fn alive(conn: &mut PgConnection) -> bool {
    let asked = sqlx::query_scalar::<_, bool>(ALIVE_POSTGRES).fetch_one(conn);
    matches!(tokio::time::timeout(ANSWER, asked).await, Ok(Ok(true)))
}

/// Makes sure of the session until the node leaves; where it ended, tries to
/// have another.
async fn keep(
    options: PgConnectOptions,
    name: String,
    first: PgConnection,
    stands: Arc<AtomicBool>,
    mut left: watch::Receiver<bool>,
) {
    let mut session = Some(first);
    loop {
        tokio::select! {
            _ = left.changed() => break,
            () = tokio::time::sleep(CHECK) => {}
        }
        session = match session {
            Some(mut conn) => {
                if alive(&mut conn).await {
                    Some(conn)
                } else {
                    stands.store(false, Ordering::Release);
                    tracing::warn!(
                        "the session that says this node lives has ended; nothing is sent until there is another"
                    );
                    None
                }
            }
            None => match hold(&options, &name).await {
                Ok(conn) if !*left.borrow() => {
                    stands.store(true, Ordering::Release);
                    tracing::info!("this node has a session again");
                    Some(conn)
                }
                Ok(_) => break,
                Err(error) => {
                    tracing::debug!(%error, "no session yet");
                    None
                }
            },
        };
    }
    if let Some(session) = session
        && let Err(error) = session.close().await
    {
        tracing::debug!(%error, "the session was over already");
    }
}
