//! Table `api_keys`: digests only, never a key.

use crate::ids::{AccountId, BudgetId, KeyId};
use crate::words::{KeyKind, Maybe};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

/// A use is written when the last one written is this old.
pub const USE_MS: i64 = 60_000;

row! {
    #[derive(Clone, Debug, Default)]
    pub struct ApiKey {
        pub id: KeyId,
        pub account_id: AccountId,
        pub kind: KeyKind,
        pub nome: String,
        pub digest: String,
        pub secret_digest: String,
        /// Last characters of the key, to recognize it.
        pub hint: String,
        /// Names with a space between.
        pub escopos: String,
        /// Ranges of addresses with a space between; empty: any.
        pub ips: String,
        /// Credits per day; none: no limit.
        pub limite_diario: Option<i64>,
        /// Credits per month.
        pub limite_mensal: Option<i64>,
        /// Where what it spends is counted; empty when nothing limits it.
        pub budget_id: Maybe<BudgetId>,
        /// The key that rotation put in its place; empty: none.
        pub substituida_por: Maybe<KeyId>,
        pub created_at_ms: i64,
        /// 0 = not revoked.
        pub revoked_at_ms: i64,
        /// 0 = never.
        pub expires_at_ms: i64,
    }
}

row! {
    /// A key as a listing shows it, with what its budget has spent.
    #[derive(Clone, Debug)]
    pub struct Listed {
        pub id: KeyId,
        pub kind: KeyKind,
        pub nome: String,
        pub hint: String,
        pub escopos: String,
        pub ips: String,
        pub limite_diario: Option<i64>,
        pub limite_mensal: Option<i64>,
        pub substituida_por: Maybe<KeyId>,
        pub created_at_ms: i64,
        pub revoked_at_ms: i64,
        pub expires_at_ms: i64,
        pub last_used_ms: i64,
        pub dia_ms: i64,
        pub gasto_dia: i64,
        pub mes_ms: i64,
        pub gasto_mes: i64,
    }
}

row! {
    /// How a key is recognized.
    #[derive(Clone, Debug)]
    pub struct Named {
        pub id: KeyId,
        pub nome: String,
        pub hint: String,
    }
}

const INSERT: &str = "INSERT INTO api_keys (id, account_id, kind, nome, digest, secret_digest, hint, escopos, ips, limite_diario, limite_mensal, budget_id, created_at_ms, expires_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
// The digest is the key: whose it is follows from it.
const BY_DIGEST: &str = "SELECT id, account_id, kind, nome, digest, secret_digest, hint, escopos, ips, limite_diario, limite_mensal, budget_id, substituida_por, created_at_ms, revoked_at_ms, expires_at_ms \
     FROM api_keys WHERE digest = $1";
const GET: &str = "SELECT id, account_id, kind, nome, digest, secret_digest, hint, escopos, ips, limite_diario, limite_mensal, budget_id, substituida_por, created_at_ms, revoked_at_ms, expires_at_ms \
     FROM api_keys WHERE account_id = $1 AND id = $2";
const LIST: &str = "SELECT k.id, k.kind, k.nome, k.hint, k.escopos, k.ips, k.limite_diario, k.limite_mensal, k.substituida_por, k.created_at_ms, k.revoked_at_ms, k.expires_at_ms, k.last_used_ms, \
     COALESCE(b.dia_ms, 0) AS dia_ms, COALESCE(b.gasto_dia, 0) AS gasto_dia, COALESCE(b.mes_ms, 0) AS mes_ms, COALESCE(b.gasto_mes, 0) AS gasto_mes \
     FROM api_keys k LEFT JOIN budgets b ON b.id = k.budget_id AND b.account_id = k.account_id \
     WHERE k.account_id = $1 AND ($2 = '' OR k.kind = $2) AND ($3 = '' OR k.id < $3) ORDER BY k.id DESC LIMIT CAST($4 AS BIGINT)";
const NAMES: &str = "SELECT id, nome, hint FROM api_keys WHERE account_id = $1 ORDER BY id DESC LIMIT CAST($2 AS BIGINT)";
const COUNT_WORKING: &str = "SELECT COUNT(*) FROM api_keys WHERE account_id = $1 AND revoked_at_ms = 0 AND (expires_at_ms = 0 OR expires_at_ms > $2)";
const REPLACE: &str = "UPDATE api_keys SET substituida_por = $3, expires_at_ms = $4 \
     WHERE account_id = $1 AND id = $2 AND substituida_por = '' AND revoked_at_ms = 0";
const REVOKE: &str = "UPDATE api_keys SET revoked_at_ms = $3 WHERE account_id = $1 AND id = $2 AND revoked_at_ms = 0";
const USED: &str = "UPDATE api_keys SET last_used_ms = CAST($3 AS BIGINT) \
     WHERE account_id = $1 AND id = $2 AND last_used_ms <= CAST($3 AS BIGINT) - CAST($4 AS BIGINT)";

pub async fn insert(conn: &mut Conn, key: &ApiKey) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &key.id,
        &key.account_id,
        key.kind,
        &key.nome,
        &key.digest,
        &key.secret_digest,
        &key.hint,
        &key.escopos,
        &key.ips,
        key.limite_diario,
        key.limite_mensal,
        &key.budget_id,
        key.created_at_ms,
        key.expires_at_ms
    )?;
    Ok(())
}

pub async fn by_digest(conn: &mut Conn, digest: &str) -> DbResult<Option<ApiKey>> {
    fetch_optional!(conn, ApiKey, BY_DIGEST, digest)
}

pub async fn get(conn: &mut Conn, account: &AccountId, id: &KeyId) -> DbResult<Option<ApiKey>> {
    fetch_optional!(conn, ApiKey, GET, account, id)
}

/// Newest first; no `kind` is both.
pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    kind: Maybe<KeyKind>,
    before: &str,
    limit: i64,
) -> DbResult<Vec<Listed>> {
    fetch_all!(conn, Listed, LIST, account, kind, before, limit)
}

/// The newest keys by name, revoked ones included.
pub async fn names(conn: &mut Conn, account: &AccountId, limit: i64) -> DbResult<Vec<Named>> {
    fetch_all!(conn, Named, NAMES, account, limit)
}

/// Keys that open something at this moment.
pub async fn count_working(conn: &mut Conn, account: &AccountId, now_ms: i64) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, COUNT_WORKING, account, now_ms)?.unwrap_or(0))
}

/// Names the key that takes the place of this one, and when this one ends;
/// false when it is revoked or was replaced before.
pub async fn replace(
    conn: &mut Conn,
    account: &AccountId,
    id: &KeyId,
    by: &KeyId,
    expires_at_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, REPLACE, account, id, by, expires_at_ms)? == 1)
}

/// False when it was revoked before.
pub async fn revoke(
    conn: &mut Conn,
    account: &AccountId,
    id: &KeyId,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, REVOKE, account, id, now_ms)? == 1)
}

/// Notes a use, unless one was noted less than a minute before.
pub async fn used(conn: &mut Conn, account: &AccountId, id: &KeyId, at_ms: i64) -> DbResult<()> {
    execute!(conn, USED, account, id, at_ms, USE_MS)?;
    Ok(())
}
