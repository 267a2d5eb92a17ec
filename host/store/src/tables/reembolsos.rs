//! Table `reembolsos`: money of purchases given back.

use crate::ids::{AccountId, CompraId, ReembolsoId, RequestId};
use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// What became of a refund.
    #[derive(Default)]
    pub enum ReembolsoStatus {
        #[default]
        Requested = "solicitado",
        Concluded = "concluido",
        Refused = "recusado",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct ReembolsoRow {
        pub id: ReembolsoId,
        pub account_id: AccountId,
        pub compra_id: CompraId,
        pub creditos: i64,
        /// The customer's words.
        pub motivo: String,
        pub status: ReembolsoStatus,
        /// The PSP's words, when it refused.
        pub detalhe: String,
        pub request_id: RequestId,
        pub next_check_ms: i64,
        /// The node that asks the PSP; empty: nobody.
        pub lease_owner: String,
        pub lease_until_ms: i64,
        pub attempts: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO reembolsos (id, account_id, compra_id, creditos, motivo, status, request_id, next_check_ms, lease_owner, lease_until_ms, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, 'solicitado', $6, $7, $8, $9, $10, $10)";
const GET: &str = "SELECT * FROM reembolsos WHERE account_id = $1 AND id = $2";
const OF_PURCHASE: &str =
    "SELECT * FROM reembolsos WHERE account_id = $1 AND compra_id = $2 ORDER BY id LIMIT 100";
const CLAIM_DUE: &str = "UPDATE reembolsos SET lease_owner = $1, lease_until_ms = $2, attempts = attempts + 1 \
     WHERE id = (SELECT r.id FROM reembolsos r WHERE r.status = 'solicitado' AND r.next_check_ms <= $3 AND r.lease_until_ms < $3 ORDER BY r.next_check_ms LIMIT 1) \
     AND status = 'solicitado' AND lease_until_ms < $3 RETURNING *";
const DUE: &str = "SELECT COUNT(*) FROM reembolsos WHERE status = 'solicitado' AND next_check_ms <= $1 AND lease_until_ms < $1";
const LATER: &str = "UPDATE reembolsos SET next_check_ms = $4, lease_owner = '', lease_until_ms = 0 \
     WHERE account_id = $1 AND id = $2 AND lease_owner = $3 AND status = 'solicitado'";
// Without the lease in the condition: what the PSP says is true, whichever node
// asked.
const ENDED: &str = "UPDATE reembolsos SET status = $3, detalhe = $4, next_check_ms = 0, lease_owner = '', lease_until_ms = 0, updated_at_ms = $5 \
     WHERE account_id = $1 AND id = $2 AND status = 'solicitado'";
const RELEASE_OF: &str = "UPDATE reembolsos SET lease_owner = '', lease_until_ms = 0, next_check_ms = 1 \
     WHERE lease_owner <> '' AND lease_owner = $1 AND status = 'solicitado'";
const RELEASE_ALL: &str = "UPDATE reembolsos SET lease_owner = '', lease_until_ms = 0, next_check_ms = 1 WHERE status = 'solicitado'";

pub async fn insert(conn: &mut Conn, r: &ReembolsoRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &r.id,
        &r.account_id,
        &r.compra_id,
        r.creditos,
        &r.motivo,
        &r.request_id,
        r.next_check_ms,
        &r.lease_owner,
        r.lease_until_ms,
        r.created_at_ms
    )?;
    Ok(())
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &ReembolsoId,
) -> DbResult<Option<ReembolsoRow>> {
    fetch_optional!(conn, ReembolsoRow, GET, account, id)
}

/// Those of a purchase, oldest first.
pub async fn of_purchase(
    conn: &mut Conn,
    account: &AccountId,
    purchase: &CompraId,
) -> DbResult<Vec<ReembolsoRow>> {
    fetch_all!(conn, ReembolsoRow, OF_PURCHASE, account, purchase)
}

/// Whether one is due; all tenants, for the job.
pub async fn due(conn: &mut Conn, now_ms: i64) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, DUE, now_ms)?.unwrap_or(0) > 0)
}

/// Takes the one that is due longest for this node; all tenants, for the job.
pub async fn claim_due(
    conn: &mut Conn,
    node: &str,
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Option<ReembolsoRow>> {
    fetch_optional!(conn, ReembolsoRow, CLAIM_DUE, node, until_ms, now_ms)
}

/// Gives the lease back; the PSP is asked again at `next_ms`. Changes nothing
/// if another node has the lease by now.
pub async fn later(conn: &mut Conn, r: &ReembolsoRow, next_ms: i64) -> DbResult<()> {
    execute!(conn, LATER, &r.account_id, &r.id, &r.lease_owner, next_ms)?;
    Ok(())
}

/// It was made or refused; false when it had ended before.
pub async fn ended(
    conn: &mut Conn,
    r: &ReembolsoRow,
    status: ReembolsoStatus,
    detail: &str,
    now_ms: i64,
) -> DbResult<bool> {
    let rows = execute!(conn, ENDED, &r.account_id, &r.id, status, detail, now_ms)?;
    Ok(rows == 1)
}

/// Frees the refunds of one node, which is gone or going: they are due.
pub async fn release_of(conn: &mut Conn, owner: &str) -> DbResult<()> {
    execute!(conn, RELEASE_OF, owner)?;
    Ok(())
}

/// Frees the refunds of all nodes: only for a process that has the database for
/// itself, so that no other node works on one.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, RELEASE_ALL)?;
    Ok(())
}
