//! Table `adapter_uses`: what adapters had signed with customers' keys, and what
//! they were refused.

use crate::ids::{AccountId, FlowId};
use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, row};
use base::ids::floor;

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

const INSERT: &str = "INSERT INTO adapter_uses (id, account_id, flow_id, component, digest, kind, what, sha256, refused, at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
const NEWEST: &str = "SELECT * FROM adapter_uses WHERE id >= $1 ORDER BY id DESC LIMIT $2";
const PURGE: &str = "DELETE FROM adapter_uses WHERE id IN (SELECT u.id FROM adapter_uses u WHERE u.id < $1 ORDER BY u.id LIMIT $2)";

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
    fetch_all!(conn, UseRow, NEWEST, floor(PREFIX, since_ms), limit)
}

/// Removes the oldest, at most `limit`; how many they were.
pub async fn purge(conn: &mut Conn, before_ms: i64, limit: i64) -> DbResult<u64> {
    execute!(conn, PURGE, floor(PREFIX, before_ms), limit)
}
