//! Table `adapter_uses`: what adapters had signed with customers' keys, and what
//! they were refused. Old rows are in pages (`pages`).

use super::pages::{self, OldRows, PageKind, Paged, Statements, Tried, numbers, texts};
use crate::ids::{AccountId, FlowId};
use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, row};
use base::ids::floor;
use packing::Page;

words! {
    /// What an adapter asked for.
    #[derive(Default)]
    pub enum UseKind {
        /// The signature of an element.
        #[default]
        Element = "element",
        /// The signature of a text.
        Text = "text",
        /// A secret in a request.
        Secret = "secret",
        /// The customer's certificate in a TLS handshake.
        Certificate = "certificate",
    }
}

row! {
    /// A signature that was made, or something that was refused.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct UseRow {
        pub id: String,
        pub account_id: AccountId,
        pub flow_id: FlowId,
        /// The adapter's own name.
        pub component: String,
        /// SHA-256 of the component, hexadecimal.
        pub digest: String,
        pub kind: UseKind,
        pub what: String,
        /// SHA-256 of what was signed or would have been, hexadecimal; empty where
        /// nothing was to be signed.
        pub sha256: String,
        /// Why not; empty: it was signed.
        pub refused: String,
        pub at_ms: i64,
    }
}

impl Paged for UseRow {
    const KIND: PageKind = PageKind::AdapterUses;
    const STATEMENTS: Statements = Statements {
        last_of_page: LAST_OF_PAGE,
        of_page: OF_PAGE,
        delete_sqlite: DELETE_SQLITE,
        delete_postgres: DELETE_POSTGRES,
    };

    fn id(&self) -> &str {
        &self.id
    }

    fn page(rows: &[UseRow]) -> Page {
        Page::default()
            .with("id", texts(rows, |row| &row.id))
            .with("account_id", texts(rows, |row| row.account_id.as_str()))
            .with("flow_id", texts(rows, |row| row.flow_id.as_str()))
            .with("component", texts(rows, |row| &row.component))
            .with("digest", texts(rows, |row| &row.digest))
            .with("kind", texts(rows, |row| row.kind.as_str()))
            .with("what", texts(rows, |row| &row.what))
            .with("sha256", texts(rows, |row| &row.sha256))
            .with("refused", texts(rows, |row| &row.refused))
            .with("at_ms", numbers(rows, |row| row.at_ms))
    }
}

const INSERT: &str = "INSERT INTO adapter_uses (id, account_id, flow_id, component, digest, kind, what, sha256, refused, at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
const NEWEST: &str =
    "SELECT * FROM adapter_uses WHERE id >= $1 ORDER BY id DESC LIMIT CAST($2 AS BIGINT)";
const PURGE: &str = "DELETE FROM adapter_uses WHERE id IN (SELECT u.id FROM adapter_uses u WHERE u.id < $1 ORDER BY u.id LIMIT CAST($2 AS BIGINT))";
// Pages are of no account: `$1`, here and below, is empty.
const LAST_OF_PAGE: &str = "SELECT id FROM adapter_uses WHERE $1 = '' AND id > $2 AND id < $3 ORDER BY id LIMIT 1 OFFSET 255";
const OF_PAGE: &str =
    "SELECT * FROM adapter_uses WHERE $1 = '' AND id > $2 AND id <= $3 ORDER BY id LIMIT 256";
// The first and the last id bound what is read, whatever a server thinks of the list.
const DELETE_SQLITE: &str = "DELETE FROM adapter_uses WHERE $1 = '' AND id >= $3 AND id <= $4 AND id IN (SELECT x.value FROM json_each($2) x)";
const DELETE_POSTGRES: &str = "DELETE FROM adapter_uses WHERE $1 = '' AND id >= $3 AND id <= $4 AND id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($2 AS jsonb))))";

/// Of the ids, which sort by `at_ms`.
pub const PREFIX: &str = "use";

/// Writes rows down: those of one turn.
pub async fn insert(conn: &mut Conn, rows: &[UseRow]) -> DbResult<()> {
    for r in rows {
        execute!(
            &mut *conn,
            INSERT,
            &r.id,
            &r.account_id,
            &r.flow_id,
            &r.component,
            &r.digest,
            r.kind,
            &r.what,
            &r.sha256,
            &r.refused,
            r.at_ms
        )?;
    }
    Ok(())
}

/// Rows of this moment and later, newest first.
pub async fn newest(conn: &mut Conn, since_ms: i64, limit: i64) -> DbResult<Vec<UseRow>> {
    let from = floor(PREFIX, since_ms);
    let rows = fetch_all!(&mut *conn, Tried<UseRow>, NEWEST, &from, limit)?;
    pages::merged(conn, &everybody(), rows, (&from, ""), limit).await
}

/// Removes the oldest, about `limit`; how many they were. A page goes when all its rows are
/// old enough.
pub async fn purge(conn: &mut Conn, before_ms: i64, limit: i64) -> DbResult<u64> {
    let before = floor(PREFIX, before_ms);
    let (kind, account) = (PageKind::AdapterUses, everybody());
    let paged = pages::purge(&mut *conn, kind, &account, &before, limit).await?;
    let limit = limit.saturating_sub_unsigned(paged);
    if limit <= 0 {
        return Ok(paged);
    }
    Ok(paged + execute!(conn, PURGE, &before, limit)?)
}

/// The oldest rows before a moment and behind an id (empty: all) that are in no page; None: too
/// few for one.
pub async fn oldest(conn: &mut Conn, past: &str, before_ms: i64) -> DbResult<Option<OldRows>> {
    let before = floor(PREFIX, before_ms);
    pages::oldest::<UseRow>(conn, &everybody(), past, &before).await
}

/// Of the pages: rows are read over all accounts.
fn everybody() -> AccountId {
    AccountId::default()
}
