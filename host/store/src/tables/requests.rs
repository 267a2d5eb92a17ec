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
const LIST: &str = "SELECT * FROM requests WHERE account_id = $1 AND id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END ORDER BY id DESC LIMIT $3";

/// False when the call was written before. The caller counts what it wrote
/// (`usage::count`) in the same transaction.
pub async fn insert(conn: &mut Conn, r: &RequestRow) -> DbResult<bool> {
    let rows = execute!(
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
    Ok(rows == 1)
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
