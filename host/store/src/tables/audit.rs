//! Table `audit`: what people and keys did to an account. Rows never change.

use crate::ids::{AccountId, AuditId, UserId};
use crate::words::Maybe;
use crate::{Conn, DbResult, execute, fetch_all, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct AuditRow {
        pub id: AuditId,
        pub account_id: AccountId,
        pub at_ms: i64,
        /// A user's id; empty: a key did it.
        pub user_id: Maybe<UserId>,
        /// E-mail of the user, or end of the key.
        pub actor: String,
        pub ip: String,
        /// `webhook.criado`.
        pub action: String,
        /// Id of what it was done to.
        pub target: String,
        /// A sentence's worth of what changed; never a secret.
        pub detail: String,
    }
}

const INSERT: &str = "INSERT INTO audit (id, account_id, at_ms, user_id, actor, ip, action, target, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const LIST: &str = "SELECT * FROM audit WHERE account_id = $1 AND id < CASE WHEN $2 = '' THEN 'zzzz' ELSE $2 END ORDER BY id DESC LIMIT CAST($3 AS BIGINT)";

pub async fn insert(conn: &mut Conn, a: &AuditRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &a.id,
        &a.account_id,
        a.at_ms,
        &a.user_id,
        &a.actor,
        &a.ip,
        &a.action,
        &a.target,
        &a.detail
    )?;
    Ok(())
}

/// Newest first, below an id.
pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    before: &str,
    limit: i64,
) -> DbResult<Vec<AuditRow>> {
    fetch_all!(conn, AuditRow, LIST, account, before, limit)
}
