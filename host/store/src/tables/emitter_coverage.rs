//! Table `emitter_coverage`: how the municipality of a company issued when it
//! was last looked at.

use crate::ids::{AccountId, EmitterId};
use crate::{Conn, DbResult, execute, fetch_all, row};

row! {
    /// A company, and what was seen for it.
    #[derive(Clone, Debug)]
    pub struct SeenRow {
        pub emitter_id: EmitterId,
        pub account_id: AccountId,
        /// Fiscal profile, JSON.
        pub perfil: String,
        /// Empty: never looked at.
        pub seen: String,
    }
}

const PAGE: &str = "SELECT e.id AS emitter_id, e.account_id, e.perfil, COALESCE(c.seen, '') AS seen FROM emitters e \
     LEFT JOIN emitter_coverage c ON c.emitter_id = e.id WHERE e.id > $1 ORDER BY e.id LIMIT CAST($2 AS BIGINT)";
const FIRST: &str = "INSERT INTO emitter_coverage (emitter_id, seen, seen_at_ms) SELECT id, $2, $3 FROM emitters WHERE id = $1 ON CONFLICT DO NOTHING";
const CHANGE: &str =
    "UPDATE emitter_coverage SET seen = $3, seen_at_ms = $4 WHERE emitter_id = $1 AND seen = $2";
const DELETE_OF: &str = "DELETE FROM emitter_coverage WHERE emitter_id = $1";

/// Companies of all accounts, in the order of their ids.
pub async fn page(conn: &mut Conn, after: &str, limit: i64) -> DbResult<Vec<SeenRow>> {
    fetch_all!(conn, SeenRow, PAGE, after, limit)
}

/// What is seen the first time.
pub async fn first(conn: &mut Conn, emitter: &EmitterId, seen: &str, now_ms: i64) -> DbResult<()> {
    execute!(conn, FIRST, emitter, seen, now_ms)?;
    Ok(())
}

/// Puts what is seen now in the place of what was seen before; false when
/// another node did.
pub async fn change(
    conn: &mut Conn,
    emitter: &EmitterId,
    before: &str,
    seen: &str,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, CHANGE, emitter, before, seen, now_ms)? == 1)
}

pub async fn delete_of(conn: &mut Conn, emitter: &EmitterId) -> DbResult<()> {
    execute!(conn, DELETE_OF, emitter)?;
    Ok(())
}
