//! Table `requests`: what happened to each call.

use crate::ids::{AccountId, KeyId, RequestId};
use crate::words::{KeyKind, Maybe};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct RequestRow {
        pub id: RequestId,
        pub account_id: AccountId,
        pub key_id: Maybe<KeyId>,
        pub key_hint: String,
        pub kind: KeyKind,
        pub operation: String,
        pub method: String,
        pub path: String,
        pub status: i64,
        pub error_code: String,
        pub duration_ms: i64,
        pub subject_id: String,
        pub created_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO requests (id, account_id, key_id, key_hint, kind, operation, method, path, status, error_code, duration_ms, subject_id, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT * FROM requests WHERE account_id = $1 AND id = $2";
const LIST: &str = "SELECT * FROM requests WHERE account_id = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3";

const COUNT_BY_OPERATION: &str = "SELECT operation AS grupo, COUNT(*) AS chamadas FROM requests \
     WHERE account_id = $1 AND id >= $2 AND id < $3 GROUP BY operation ORDER BY operation LIMIT 500";
const COUNT_BY_DAY: &str = "SELECT CAST(created_at_ms / 86400000 AS TEXT) AS grupo, COUNT(*) AS chamadas FROM requests \
     WHERE account_id = $1 AND id >= $2 AND id < $3 GROUP BY created_at_ms / 86400000 ORDER BY created_at_ms / 86400000 LIMIT 500";
const COUNT_BY_KEY: &str = "SELECT key_id AS grupo, COUNT(*) AS chamadas FROM requests \
     WHERE account_id = $1 AND id >= $2 AND id < $3 GROUP BY key_id ORDER BY key_id LIMIT 500";
// What a call was about: a note, an event, a received note or the emitter itself.
const COUNT_BY_EMITTER: &str = "SELECT COALESCE(n.emitter_id, e.emitter_id, r.emitter_id, m.id, '') AS grupo, COUNT(*) AS chamadas FROM requests q \
     LEFT JOIN notas n ON n.id = q.subject_id AND n.account_id = q.account_id \
     LEFT JOIN eventos e ON e.id = q.subject_id AND e.account_id = q.account_id \
     LEFT JOIN recebidas r ON r.id = q.subject_id AND r.account_id = q.account_id \
     LEFT JOIN emitters m ON m.id = q.subject_id AND m.account_id = q.account_id \
     WHERE q.account_id = $1 AND q.id >= $2 AND q.id < $3 GROUP BY 1 ORDER BY 1 LIMIT 500";

row! {
    /// Calls of a group.
    #[derive(Clone, Debug)]
    pub struct Calls {
        pub grupo: String,
        pub chamadas: i64,
    }
}

pub async fn insert(conn: &mut Conn, r: &RequestRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &r.id,
        &r.account_id,
        &r.key_id,
        &r.key_hint,
        r.kind,
        &r.operation,
        &r.method,
        &r.path,
        r.status,
        &r.error_code,
        r.duration_ms,
        &r.subject_id,
        r.created_at_ms
    )?;
    Ok(())
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &RequestId,
) -> DbResult<Option<RequestRow>> {
    fetch_optional!(conn, RequestRow, GET, account, id)
}

pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    before: &str,
    limit: i64,
) -> DbResult<Vec<RequestRow>> {
    fetch_all!(conn, RequestRow, LIST, account, before, limit)
}

/// Calls by operation; the ids bound the time (`ids::floor`).
pub async fn count_by_operation(
    conn: &mut Conn,
    account: &AccountId,
    from_id: &RequestId,
    to_id: &RequestId,
) -> DbResult<Vec<Calls>> {
    fetch_all!(conn, Calls, COUNT_BY_OPERATION, account, from_id, to_id)
}

/// Calls by day; the group is the day's number since 1970.
pub async fn count_by_day(
    conn: &mut Conn,
    account: &AccountId,
    from_id: &RequestId,
    to_id: &RequestId,
) -> DbResult<Vec<Calls>> {
    fetch_all!(conn, Calls, COUNT_BY_DAY, account, from_id, to_id)
}

/// Calls by key; the group is empty for calls made before keys were noted.
pub async fn count_by_key(
    conn: &mut Conn,
    account: &AccountId,
    from_id: &RequestId,
    to_id: &RequestId,
) -> DbResult<Vec<Calls>> {
    fetch_all!(conn, Calls, COUNT_BY_KEY, account, from_id, to_id)
}

/// Calls by emitter; the group is empty for calls about none.
pub async fn count_by_emitter(
    conn: &mut Conn,
    account: &AccountId,
    from_id: &RequestId,
    to_id: &RequestId,
) -> DbResult<Vec<Calls>> {
    fetch_all!(conn, Calls, COUNT_BY_EMITTER, account, from_id, to_id)
}
