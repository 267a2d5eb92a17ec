//! Table `compras`: purchases of credits.

use crate::ids::{AccountId, CompraId, RequestId};
use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// How a purchase is paid.
    #[derive(Default)]
    pub enum PurchaseMeans {
        #[default]
        Pix = "pix",
        Boleto = "boleto",
        /// On a page of the payment provider.
        Card = "cartao",
    }
}

words! {
    /// What became of a purchase.
    #[derive(Default)]
    pub enum PurchaseStatus {
        #[default]
        Waiting = "aguardando",
        Paid = "paga",
        Expired = "expirada",
        Cancelled = "cancelada",
        /// Another amount was paid; nothing is credited.
        Divergent = "divergente",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct PurchaseRow {
        pub id: CompraId,
        pub account_id: AccountId,
        pub meio: PurchaseMeans,
        pub parcelas: i64,
        /// Credits, which are centavos.
        pub creditos: i64,
        pub status: PurchaseStatus,
        /// JSON: who pays.
        pub pagador: String,
        /// The PSP's id; empty: no charge is known.
        pub cobranca_id: String,
        /// JSON: what is paid with.
        pub cobranca: String,
        /// Due day of a boleto.
        pub vencimento: String,
        pub pago_centavos: i64,
        /// When the credits came; 0: they did not.
        pub paga_ms: i64,
        pub motivo: String,
        pub request_id: RequestId,
        pub expira_ms: i64,
        pub next_check_ms: i64,
        /// The node that asks the PSP; empty: nobody.
        pub lease_owner: String,
        pub lease_until_ms: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    /// What is left of a paid purchase after its refunds.
    #[derive(Clone, Debug)]
    pub struct Remaining {
        pub id: CompraId,
        pub resto: i64,
    }
}

const INSERT: &str = "INSERT INTO compras (id, account_id, meio, parcelas, creditos, status, pagador, vencimento, request_id, expira_ms, next_check_ms, lease_owner, lease_until_ms, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, 'aguardando', $6, $7, $8, $9, $10, $11, $12, $13, $13)";
const LATEST: &str =
    "SELECT * FROM compras WHERE account_id = $1 ORDER BY id DESC LIMIT CAST($2 AS BIGINT)";
const GET: &str = "SELECT * FROM compras WHERE account_id = $1 AND id = $2";
const BY_ID: &str = "SELECT * FROM compras WHERE id = $1";
const OPEN: &str = "SELECT COUNT(*) FROM compras WHERE account_id = $1 AND status = 'aguardando'";
const CLAIM: &str = "UPDATE compras SET lease_owner = $3, lease_until_ms = $4, next_check_ms = CASE WHEN status = 'aguardando' THEN CAST($4 AS BIGINT) ELSE 0 END \
     WHERE account_id = $1 AND id = $2 AND status <> 'paga' AND lease_until_ms < $5 RETURNING *";
const CLAIM_DUE: &str = "UPDATE compras SET lease_owner = $1, lease_until_ms = $2, next_check_ms = $2 \
     WHERE id = (SELECT c.id FROM compras c WHERE c.status = 'aguardando' AND c.next_check_ms <= $3 AND c.lease_until_ms < $3 ORDER BY c.next_check_ms LIMIT 1) \
     AND status = 'aguardando' AND lease_until_ms < $3 RETURNING *";
const DUE: &str = "SELECT COUNT(*) FROM compras WHERE status = 'aguardando' AND next_check_ms <= $1 AND lease_until_ms < $1";
const HINT: &str = "UPDATE compras SET next_check_ms = $3 WHERE account_id = $1 AND id = $2 AND status = 'aguardando'";
const CHARGED: &str = "UPDATE compras SET cobranca_id = $3, cobranca = $4, updated_at_ms = $5 WHERE account_id = $1 AND id = $2 AND cobranca_id = ''";
// Keeps the moment of a callback that came while the PSP was being asked.
const LATER: &str = "UPDATE compras SET next_check_ms = CASE WHEN next_check_ms < lease_until_ms THEN next_check_ms ELSE CAST($4 AS BIGINT) END, lease_owner = '', lease_until_ms = 0 \
     WHERE account_id = $1 AND id = $2 AND lease_owner = $3 AND status = 'aguardando'";
const RELEASE: &str = "UPDATE compras SET lease_owner = '', lease_until_ms = 0 WHERE account_id = $1 AND id = $2 AND lease_owner = $3";
// Without the lease in the condition: what the PSP says was paid is true,
// whichever node asked.
const SETTLED: &str = "UPDATE compras SET status = 'paga', pago_centavos = $3, paga_ms = $4, next_check_ms = 0, lease_owner = '', lease_until_ms = 0, updated_at_ms = $4 \
     WHERE account_id = $1 AND id = $2 AND status <> 'paga'";
const DIVERGED: &str = "UPDATE compras SET status = 'divergente', pago_centavos = $3, next_check_ms = 0, lease_owner = '', lease_until_ms = 0, updated_at_ms = $4 \
     WHERE account_id = $1 AND id = $2 AND status <> 'paga'";
// A hint that came while the PSP was being asked says that the answer may be
// old: it is asked again before anything ends.
const CLOSED: &str = "UPDATE compras SET status = $4, motivo = $5, next_check_ms = 0, lease_owner = '', lease_until_ms = 0, updated_at_ms = $6 \
     WHERE account_id = $1 AND id = $2 AND lease_owner = $3 AND status = 'aguardando' AND next_check_ms >= lease_until_ms";
const SINCE: &str = "SELECT c.id AS id, CAST(c.creditos - COALESCE((SELECT SUM(r.creditos) FROM reembolsos r WHERE r.compra_id = c.id AND r.status <> 'recusado'), 0) AS BIGINT) AS resto \
     FROM compras c WHERE c.account_id = $1 AND c.status = 'paga' AND (c.paga_ms > $2 OR (c.paga_ms = $2 AND c.id >= $3)) ORDER BY c.id LIMIT 10000";
const RELEASE_OF: &str = "UPDATE compras SET lease_owner = '', lease_until_ms = 0, next_check_ms = CASE WHEN status = 'aguardando' THEN 1 ELSE 0 END \
     WHERE lease_owner <> '' AND lease_owner = $1";
const RELEASE_ALL: &str = "UPDATE compras SET lease_owner = '', lease_until_ms = 0, next_check_ms = CASE WHEN status = 'aguardando' THEN 1 ELSE 0 END WHERE lease_until_ms > 0";

pub async fn insert(conn: &mut Conn, c: &PurchaseRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &c.id,
        &c.account_id,
        c.meio,
        c.parcelas,
        c.creditos,
        &c.pagador,
        &c.vencimento,
        &c.request_id,
        c.expira_ms,
        c.next_check_ms,
        &c.lease_owner,
        c.lease_until_ms,
        c.created_at_ms
    )?;
    Ok(())
}

/// The account's newest purchases.
pub async fn latest(
    conn: &mut Conn,
    account: &AccountId,
    limit: i64,
) -> DbResult<Vec<PurchaseRow>> {
    fetch_all!(conn, PurchaseRow, LATEST, account, limit)
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    id: &CompraId,
) -> DbResult<Option<PurchaseRow>> {
    fetch_optional!(conn, PurchaseRow, GET, account, id)
}

/// Without a tenant: for a callback of the PSP, which knows only the id.
pub async fn by_id(conn: &mut Conn, id: &CompraId) -> DbResult<Option<PurchaseRow>> {
    fetch_optional!(conn, PurchaseRow, BY_ID, id)
}

/// How many of the account wait for a payment.
pub async fn open(conn: &mut Conn, account: &AccountId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, OPEN, account)?.unwrap_or(0))
}

/// Gives this node the lease of a purchase that is not paid; None while another
/// node has it.
pub async fn claim(
    conn: &mut Conn,
    (account, id): (&AccountId, &CompraId),
    node: &str,
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Option<PurchaseRow>> {
    fetch_optional!(
        conn,
        PurchaseRow,
        CLAIM,
        account,
        id,
        node,
        until_ms,
        now_ms
    )
}

/// Whether one is due; all tenants, for the job.
pub async fn due(conn: &mut Conn, now_ms: i64) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, DUE, now_ms)?.unwrap_or(0) > 0)
}

/// Gives this node the lease of the purchase that has been due longest; all
/// tenants, for the job.
pub async fn claim_due(
    conn: &mut Conn,
    node: &str,
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Option<PurchaseRow>> {
    fetch_optional!(conn, PurchaseRow, CLAIM_DUE, node, until_ms, now_ms)
}

/// Makes a purchase due at once, because its charge may have changed.
pub async fn hint(
    conn: &mut Conn,
    account: &AccountId,
    id: &CompraId,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, HINT, account, id, now_ms)?;
    Ok(())
}

/// Keeps the charge, once.
pub async fn charged(
    conn: &mut Conn,
    c: &PurchaseRow,
    charge_id: &str,
    charge: &str,
    now_ms: i64,
) -> DbResult<()> {
    execute!(
        conn,
        CHARGED,
        &c.account_id,
        &c.id,
        charge_id,
        charge,
        now_ms
    )?;
    Ok(())
}

/// Gives the lease back; the purchase is due again at `next_ms`. Changes
/// nothing if another node has the lease by now.
pub async fn later(conn: &mut Conn, c: &PurchaseRow, next_ms: i64) -> DbResult<()> {
    let open = execute!(conn, LATER, &c.account_id, &c.id, &c.lease_owner, next_ms)?;
    if open == 0 {
        release(conn, c).await?;
    }
    Ok(())
}

async fn release(conn: &mut Conn, c: &PurchaseRow) -> DbResult<()> {
    execute!(conn, RELEASE, &c.account_id, &c.id, &c.lease_owner)?;
    Ok(())
}

/// It is paid; false when it was before.
pub async fn settled(conn: &mut Conn, c: &PurchaseRow, cents: i64, now_ms: i64) -> DbResult<bool> {
    let rows = execute!(conn, SETTLED, &c.account_id, &c.id, cents, now_ms)?;
    Ok(rows == 1)
}

/// Another amount was paid.
pub async fn diverged(conn: &mut Conn, c: &PurchaseRow, cents: i64, now_ms: i64) -> DbResult<()> {
    execute!(conn, DIVERGED, &c.account_id, &c.id, cents, now_ms)?;
    Ok(())
}

/// Ends a purchase that nobody will pay, because it expired or was cancelled.
/// False if it had ended before, is due to be asked about again, or another
/// node has its lease.
pub async fn closed(
    conn: &mut Conn,
    c: &PurchaseRow,
    status: PurchaseStatus,
    reason: &str,
    now_ms: i64,
) -> DbResult<bool> {
    let closed = execute!(
        conn,
        CLOSED,
        &c.account_id,
        &c.id,
        &c.lease_owner,
        status,
        reason,
        now_ms
    )? == 1;
    if !closed {
        release(conn, c).await?;
    }
    Ok(closed)
}

/// What is left of this paid purchase and of those paid after it.
pub async fn since(conn: &mut Conn, c: &PurchaseRow) -> DbResult<Vec<Remaining>> {
    fetch_all!(conn, Remaining, SINCE, &c.account_id, c.paga_ms, &c.id)
}

/// Frees the purchases of one node, which is gone or going: they are due.
pub async fn release_of(conn: &mut Conn, owner: &str) -> DbResult<()> {
    execute!(conn, RELEASE_OF, owner)?;
    Ok(())
}

/// Frees the purchases of all nodes: only for a process that has the database
/// for itself, so that no other node works on one.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, RELEASE_ALL)?;
    Ok(())
}
