//! Table `requests`: what happened to each call. Old ones are in pages (`pages`).

use super::pages::{self, OldRows, PageKind, Paged, Statements, Tried, numbers, texts};
use crate::ids::{AccountId, KeyId, RequestId};
use crate::words::{KeyKind, Maybe};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};
use packing::Page;

row! {
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
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

row! {
    struct AccountRow {
        account_id: AccountId,
    }
}

impl Paged for RequestRow {
    const KIND: PageKind = PageKind::Requests;
    const STATEMENTS: Statements = Statements {
        last_of_page: LAST_OF_PAGE,
        of_page: OF_PAGE,
        delete_sqlite: DELETE_SQLITE,
        delete_postgres: DELETE_POSTGRES,
    };

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn page(rows: &[RequestRow]) -> Page {
        Page::default()
            .with("id", texts(rows, |row| row.id.as_str()))
            .with("account_id", texts(rows, |row| row.account_id.as_str()))
            .with("key_id", texts(rows, |row| row.key_id.as_str()))
            .with("key_hint", texts(rows, |row| &row.key_hint))
            .with("kind", texts(rows, |row| row.kind.as_str()))
            .with("operation", texts(rows, |row| &row.operation))
            .with("method", texts(rows, |row| &row.method))
            .with("subject_id", texts(rows, |row| &row.subject_id))
            .with("path", texts(rows, |row| &row.path))
            .with("error_code", texts(rows, |row| &row.error_code))
            .with("status", numbers(rows, |row| row.status))
            .with("duration_ms", numbers(rows, |row| row.duration_ms))
            .with("created_at_ms", numbers(rows, |row| row.created_at_ms))
    }
}

const INSERT: &str = "INSERT INTO requests (id, account_id, key_id, key_hint, kind, operation, method, path, status, error_code, duration_ms, subject_id, created_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT * FROM requests WHERE account_id = $1 AND id = $2";
const LIST: &str = "SELECT * FROM requests WHERE account_id = $1 AND id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END ORDER BY id DESC LIMIT CAST($3 AS BIGINT)";
const NEXT_ACCOUNT: &str =
    "SELECT account_id FROM requests WHERE account_id > $1 ORDER BY account_id LIMIT 1";
// By the index alone: accounts are asked again and again whether they have a page more.
const LAST_OF_PAGE: &str = "SELECT id FROM requests WHERE account_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT 1 OFFSET 255";
const OF_PAGE: &str =
    "SELECT * FROM requests WHERE account_id = $1 AND id > $2 AND id <= $3 ORDER BY id LIMIT 256";
// The first and the last id bound what is read, whatever a server thinks of the list.
const DELETE_SQLITE: &str = "DELETE FROM requests WHERE account_id = $1 AND id >= $3 AND id <= $4 AND id IN (SELECT x.value FROM json_each($2) x)";
const DELETE_POSTGRES: &str = "DELETE FROM requests WHERE account_id = $1 AND id >= $3 AND id <= $4 AND id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($2 AS jsonb))))";

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

/// A call; None: the account has no such.
pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &RequestId,
) -> DbResult<Option<RequestRow>> {
    match fetch_optional!(&mut *conn, RequestRow, GET, account, id)? {
        Some(row) => Ok(Some(row)),
        None => pages::get(conn, account, id).await,
    }
}

/// The newest calls before an id (empty: all), the newest first.
pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    before: &str,
    limit: i64,
) -> DbResult<Vec<RequestRow>> {
    let rows = fetch_all!(&mut *conn, Tried<RequestRow>, LIST, account, before, limit)?;
    pages::merged(conn, account, rows, ("", before), limit).await
}

/// The next account that has calls in this table, in the order of their ids.
pub async fn next_account(conn: &mut Conn, account: &AccountId) -> DbResult<Option<AccountId>> {
    let next = fetch_optional!(conn, AccountRow, NEXT_ACCOUNT, account)?;
    Ok(next.map(|row| row.account_id))
}

/// The oldest calls of an account before a moment and behind an id (empty: all) that are in no
/// page; None: too few for one.
pub async fn oldest(
    conn: &mut Conn,
    account: &AccountId,
    past: &str,
    before_ms: i64,
) -> DbResult<Option<OldRows>> {
    let before = RequestId::floor(before_ms);
    pages::oldest::<RequestRow>(conn, account, past, &before).await
}
