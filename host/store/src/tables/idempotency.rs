//! Table `idempotency_keys`: which request a key already stands for.

use crate::ids::AccountId;
use crate::words::{KeyKind, words};
use crate::{Conn, DbResult, contradiction, execute, fetch_optional, row};

words! {
    /// What asked under a key.
    pub enum Asker {
        /// A call with a test key.
        Test = "test",
        /// A call with a live key.
        Live = "live",
        /// A form of the panel.
        Panel = "painel",
    }
}

impl From<KeyKind> for Asker {
    fn from(kind: KeyKind) -> Asker {
        match kind {
            KeyKind::Test => Asker::Test,
            KeyKind::Live => Asker::Live,
        }
    }
}

/// Who may not use a key twice.
#[derive(Clone, Debug)]
pub struct Scope {
    pub account_id: AccountId,
    pub kind: Asker,
    /// Method and path template.
    pub route: String,
    pub key: String,
}

row! {
    #[derive(Clone, Debug)]
    pub struct KeyRow {
        pub fingerprint: String,
        pub subject_id: String,
        pub created_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO idempotency_keys (account_id, kind, route, idempotency_key, fingerprint, subject_id, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT fingerprint, subject_id, created_at_ms FROM idempotency_keys \
     WHERE account_id = $1 AND kind = $2 AND route = $3 AND idempotency_key = $4";
const FORGET: &str = "DELETE FROM idempotency_keys WHERE subject_id = $1";
const PURGE: &str = "DELETE FROM idempotency_keys WHERE created_at_ms < $1 AND NOT EXISTS (SELECT 1 FROM notas n WHERE n.id = idempotency_keys.subject_id AND n.status IN ('em_transmissao', 'pendente_prefeitura')) \
     AND NOT EXISTS (SELECT 1 FROM eventos e WHERE e.id = idempotency_keys.subject_id AND e.status = 'em_transmissao')";
const EXPIRE: &str = "DELETE FROM idempotency_keys WHERE account_id = $1 AND kind = $2 AND route = $3 AND idempotency_key = $4 AND created_at_ms < $5 \
     AND NOT EXISTS (SELECT 1 FROM notas n WHERE n.id = idempotency_keys.subject_id AND n.status IN ('em_transmissao', 'pendente_prefeitura')) \
     AND NOT EXISTS (SELECT 1 FROM eventos e WHERE e.id = idempotency_keys.subject_id AND e.status = 'em_transmissao')";
const REPLACE: &str = "UPDATE idempotency_keys SET fingerprint = $6, subject_id = $7, created_at_ms = $8 \
     WHERE account_id = $1 AND kind = $2 AND route = $3 AND idempotency_key = $4 AND subject_id = $5";

/// Whom a key stands for now.
pub enum Taken {
    /// The subject that asked.
    Ours,
    /// An earlier one.
    Theirs(KeyRow),
}

/// Takes a key for a subject, unless it stands for an earlier one within the
/// window, or for one that is still in transmission.
pub async fn take(
    conn: &mut Conn,
    scope: &Scope,
    fingerprint: &str,
    subject: &str,
    now_ms: i64,
    window_ms: i64,
) -> DbResult<Taken> {
    // Most keys are new: only one that is taken may be too old. A key freed between the
    // statements is simply tried again.
    for _ in 0..3 {
        if insert(conn, scope, fingerprint, subject, now_ms).await? {
            return Ok(Taken::Ours);
        }
        if expire(conn, scope, now_ms - window_ms).await? {
            continue;
        }
        if let Some(row) = get(conn, scope).await? {
            return Ok(Taken::Theirs(row));
        }
    }
    Err(contradiction("idempotency key", &scope.account_id))
}

/// Lets a key stand for another subject, if it still stands for `old`.
pub async fn replace(
    conn: &mut Conn,
    scope: &Scope,
    old: &str,
    fingerprint: &str,
    subject: &str,
    now_ms: i64,
) -> DbResult<bool> {
    let rows = execute!(
        conn,
        REPLACE,
        &scope.account_id,
        scope.kind,
        &scope.route,
        &scope.key,
        old,
        fingerprint,
        subject,
        now_ms
    )?;
    Ok(rows == 1)
}

/// False when the key is taken.
async fn insert(
    conn: &mut Conn,
    scope: &Scope,
    fingerprint: &str,
    subject: &str,
    now_ms: i64,
) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &scope.account_id,
        scope.kind,
        &scope.route,
        &scope.key,
        fingerprint,
        subject,
        now_ms
    )?;
    Ok(rows == 1)
}

pub async fn get(conn: &mut Conn, scope: &Scope) -> DbResult<Option<KeyRow>> {
    fetch_optional!(
        conn,
        KeyRow,
        GET,
        &scope.account_id,
        scope.kind,
        &scope.route,
        &scope.key
    )
}

/// Drops this key if it is older than the window; whether it was.
async fn expire(conn: &mut Conn, scope: &Scope, before_ms: i64) -> DbResult<bool> {
    let rows = execute!(
        conn,
        EXPIRE,
        &scope.account_id,
        scope.kind,
        &scope.route,
        &scope.key,
        before_ms
    )?;
    Ok(rows == 1)
}

/// Frees the keys of a subject that came to nothing.
pub async fn forget(conn: &mut Conn, subject: &str) -> DbResult<()> {
    execute!(conn, FORGET, subject)?;
    Ok(())
}

/// Drops the keys of all tenants that were taken before a moment and whose work
/// is over.
pub async fn purge(conn: &mut Conn, before_ms: i64) -> DbResult<u64> {
    execute!(conn, PURGE, before_ms)
}
