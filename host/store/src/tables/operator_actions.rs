//! Table `operator_actions`: what operators did to accounts, notes, deliveries and
//! authorizers. Rows never change.

use crate::ids::{AccountId, OperatorActionId};
use crate::words::Maybe;
use crate::{Conn, DbResult, execute, fetch_all, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct OperatorActionRow {
        pub id: OperatorActionId,
        pub at_ms: i64,
        /// The door they came by: `hub`, `admin`, `operador`.
        pub actor: String,
        /// `conta.bloqueada`, as in the audit of an account.
        pub action: String,
        /// Id or name of what it was done to.
        pub target: String,
        /// Whose it is; none: of no account.
        pub account_id: Maybe<AccountId>,
        /// The reason that was given, and what changed.
        pub detail: String,
    }
}

const INSERT: &str = "INSERT INTO operator_actions (id, at_ms, actor, action, target, account_id, detail) VALUES ($1, $2, $3, $4, $5, $6, $7)";
// The id sorts by time; without a cursor, below the highest id there can be.
const LIST: &str =
    "SELECT * FROM operator_actions WHERE id < $1 ORDER BY id DESC LIMIT CAST($2 AS BIGINT)";
/// Above every id, in the order of any language.
const END: &str = "opb";

pub async fn insert(conn: &mut Conn, a: &OperatorActionRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &a.id,
        a.at_ms,
        &a.actor,
        &a.action,
        &a.target,
        &a.account_id,
        &a.detail
    )?;
    Ok(())
}

/// Newest first, below an id; empty: from the newest on.
pub async fn list(conn: &mut Conn, before: &str, limit: i64) -> DbResult<Vec<OperatorActionRow>> {
    let before = if before.is_empty() { END } else { before };
    fetch_all!(conn, OperatorActionRow, LIST, before, limit)
}
