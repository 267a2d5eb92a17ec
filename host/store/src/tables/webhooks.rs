//! Table `webhooks`: addresses that are told of events, and who delivers.

use crate::ids::{AccountId, WebhookId};
use crate::words::KeyKind;
use crate::writer::calls::{self, Cause};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct WebhookRow {
        pub id: WebhookId,
        pub account_id: AccountId,
        /// Of the key that registered it.
        pub kind: KeyKind,
        pub url: String,
        /// JSON: kinds of events, as asked for.
        pub eventos: String,
        /// JSON: companies; an empty list is all.
        pub emitente_ids: String,
        pub descricao: String,
        /// Secrets and headers, sealed.
        pub sealed: Vec<u8>,
        /// When the secret before the last rotation stops signing; 0: none.
        pub anterior_ate_ms: i64,
        pub ativo: i64,
        /// Why it is not active.
        pub motivo: String,
        /// Attempts that failed since the last that did not.
        pub failures: i64,
        pub cool_until_ms: i64,
        pub next_ms: i64,
        pub fence: i64,
        pub lease_owner: String,
        pub lease_until_ms: i64,
        pub version: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
        /// Every event of the account up to this place has a delivery, or was not asked for.
        pub made_upto: i64,
    }
}

row! {
    /// A webhook that rests after failures.
    #[derive(Clone, Debug)]
    pub struct Resting {
        pub id: WebhookId,
        pub cool_until_ms: i64,
    }
}

row! {
    /// A webhook of any account that rests after failures.
    #[derive(Clone, Debug)]
    pub struct RestingRow {
        pub id: WebhookId,
        pub account_id: AccountId,
        /// Name of the account.
        pub nome: String,
        pub url: String,
        pub failures: i64,
        pub cool_until_ms: i64,
    }
}

/// `next_ms` of a webhook nothing waits for.
pub const NOTHING_MS: i64 = i64::MAX;

const INSERT: &str = "INSERT INTO webhooks (id, account_id, kind, url, eventos, emitente_ids, descricao, sealed, ativo, created_at_ms, updated_at_ms, made_upto) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)";
const COUNT: &str = "SELECT COUNT(*) FROM webhooks WHERE account_id = $1";
const GET: &str = "SELECT * FROM webhooks WHERE account_id = $1 AND kind = $2 AND id = $3";
const BY_ID: &str = "SELECT * FROM webhooks WHERE id = $1";
const LIST: &str = "SELECT * FROM webhooks WHERE account_id = $1 AND kind = $2 AND ($3 = '' OR id < $3) ORDER BY id DESC LIMIT CAST($4 AS BIGINT)";
const RESTING: &str = "SELECT id, cool_until_ms FROM webhooks WHERE account_id = $1 AND cool_until_ms > $2 ORDER BY id LIMIT 1000";
const RESTING_ALL: &str = "SELECT w.id, w.account_id, a.nome, w.url, w.failures, w.cool_until_ms FROM webhooks w JOIN accounts a ON a.id = w.account_id \
     WHERE w.cool_until_ms > 0 AND w.cool_until_ms > $1 AND w.ativo = 1 ORDER BY w.cool_until_ms DESC LIMIT CAST($2 AS BIGINT)";
const ACTIVE: &str =
    "SELECT * FROM webhooks WHERE account_id = $1 AND ativo = 1 ORDER BY id LIMIT 1000";
const SAVE: &str = "UPDATE webhooks SET url = $3, eventos = $4, emitente_ids = $5, descricao = $6, sealed = $7, anterior_ate_ms = $8, ativo = $9, motivo = $10, \
     failures = $11, cool_until_ms = $12, version = version + 1, updated_at_ms = $13, fence = fence + 1, lease_owner = '', lease_until_ms = 0, \
     made_upto = CASE WHEN made_upto < $15 THEN $15 ELSE made_upto END WHERE account_id = $1 AND id = $2 AND version = $14";
const DELETE: &str = "DELETE FROM webhooks WHERE account_id = $1 AND kind = $2 AND id = $3";
const WAKE: &str =
    "UPDATE webhooks SET next_ms = CASE WHEN next_ms > $2 THEN $2 ELSE next_ms END WHERE id = $1";
const HURRY: &str = "UPDATE webhooks SET next_ms = $2, cool_until_ms = 0 WHERE id = $1";
// One account has no more than its share of the places, however many of its
// receivers are slow.
const DUE: &str = "SELECT COUNT(*) FROM webhooks w WHERE w.ativo = 1 AND w.next_ms <= $1 AND w.cool_until_ms <= $1 AND w.lease_until_ms <= $1 \
     AND (SELECT COUNT(*) FROM webhooks o WHERE o.account_id = w.account_id AND o.lease_until_ms > $1) < $2";
const CLAIM_SQLITE: &str = "UPDATE webhooks SET lease_owner = $1, lease_until_ms = $2, fence = fence + 1 WHERE id IN (SELECT x.id FROM (SELECT w.id, w.next_ms, ROW_NUMBER() OVER (PARTITION BY w.account_id ORDER BY w.next_ms, w.id) AS place, \
     (SELECT COUNT(*) FROM webhooks o WHERE o.account_id = w.account_id AND o.lease_until_ms > $3) AS held \
     FROM webhooks w WHERE w.ativo = 1 AND w.next_ms <= $3 AND w.cool_until_ms <= $3 AND w.lease_until_ms <= $3) AS x \
     WHERE x.place + x.held <= $4 ORDER BY x.next_ms, x.id LIMIT CAST($5 AS BIGINT)) RETURNING *";
// The rows of other transactions are left to the next round: who waited for several rows that
// another one holds in another order would wait for ever.
const CLAIM_POSTGRES: &str = "WITH taken AS (SELECT t.id FROM webhooks t WHERE t.id IN (SELECT x.id FROM (SELECT w.id, w.next_ms, ROW_NUMBER() OVER (PARTITION BY w.account_id ORDER BY w.next_ms, w.id) AS place, \
     (SELECT COUNT(*) FROM webhooks o WHERE o.account_id = w.account_id AND o.lease_until_ms > $3) AS held \
     FROM webhooks w WHERE w.ativo = 1 AND w.next_ms <= $3 AND w.cool_until_ms <= $3 AND w.lease_until_ms <= $3) AS x \
     WHERE x.place + x.held <= $4 ORDER BY x.next_ms, x.id LIMIT $5) \
     AND t.ativo = 1 AND t.lease_until_ms <= $3 FOR UPDATE SKIP LOCKED) \
     UPDATE webhooks SET lease_owner = $1, lease_until_ms = $2, fence = webhooks.fence + 1 FROM taken WHERE webhooks.id = taken.id RETURNING webhooks.*";
const PROGRESS: &str = "UPDATE webhooks SET failures = $3, cool_until_ms = $4, lease_until_ms = $5, \
     made_upto = CASE WHEN made_upto < $6 THEN $6 ELSE made_upto END WHERE id = $1 AND fence = $2 AND lease_owner <> '' AND ativo = 1";
// One statement: the last place is that of the moment in which the webhook is unchanged.
const UPTO_IF_HELD: &str = "SELECT COALESCE((SELECT e.last FROM event_order e WHERE e.account_id = w.account_id), 0) AS last FROM webhooks w \
     WHERE w.id = $1 AND w.fence = $2 AND w.lease_owner <> '' AND w.ativo = 1";
const MAKE: &str = "UPDATE webhooks SET made_upto = $2 WHERE id = $1 AND made_upto < $2";
const RELEASE: &str = "UPDATE webhooks SET lease_owner = '', lease_until_ms = 0 WHERE id = $1 AND fence = $2 AND lease_owner <> '' RETURNING ativo";
const SET_NEXT: &str = "UPDATE webhooks SET made_upto = CASE WHEN made_upto < $3 THEN $3 ELSE made_upto END, \
     next_ms = CASE WHEN CAST($4 AS BIGINT) = 1 THEN $2 ELSE COALESCE((SELECT CASE WHEN MIN(d.due_ms) < $2 THEN $2 ELSE MIN(d.due_ms) END FROM deliveries d \
     WHERE d.webhook_id = $1 AND d.status = 'pendente'), 9223372036854775807) END WHERE id = $1 RETURNING next_ms";
const RELEASE_OF: &str =
    "UPDATE webhooks SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner = $1";
const RELEASE_ALL: &str =
    "UPDATE webhooks SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner <> ''";
const CLOSE: &str = "UPDATE webhooks SET ativo = 0, motivo = $3, version = version + 1, updated_at_ms = $4 WHERE id = $1 AND fence = $2 AND ativo = 1";
const WAKE_BEHIND_SQLITE: &str = "UPDATE webhooks SET next_ms = $1 WHERE ativo = 1 AND next_ms > $1 AND lease_until_ms <= $1 \
     AND made_upto < (SELECT e.last FROM event_order e WHERE e.account_id = webhooks.account_id)";
// See `CLAIM_POSTGRES`: who gives places locks the webhooks of an account by their ids.
const WAKE_BEHIND_POSTGRES: &str = "WITH behind AS (SELECT w.id FROM webhooks w WHERE w.ativo = 1 AND w.next_ms > $1 AND w.lease_until_ms <= $1 \
     AND w.made_upto < (SELECT e.last FROM event_order e WHERE e.account_id = w.account_id) FOR UPDATE SKIP LOCKED) \
     UPDATE webhooks SET next_ms = $1 FROM behind WHERE webhooks.id = behind.id";
const PAGE: &str = "SELECT * FROM webhooks WHERE id > $1 ORDER BY id LIMIT CAST($2 AS BIGINT)";
const SET_SEALED: &str = "UPDATE webhooks SET sealed = $3 WHERE id = $1 AND sealed = $2";

pub async fn insert(conn: &mut Conn, w: &WebhookRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &w.id,
        &w.account_id,
        w.kind,
        &w.url,
        &w.eventos,
        &w.emitente_ids,
        &w.descricao,
        &w.sealed,
        w.ativo,
        w.created_at_ms,
        w.made_upto
    )?;
    Ok(())
}

/// How many the account has, of both kinds.
pub async fn count(conn: &mut Conn, account: &AccountId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, COUNT, account)?.unwrap_or(0))
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    kind: KeyKind,
    id: &WebhookId,
) -> DbResult<Option<WebhookRow>> {
    fetch_optional!(conn, WebhookRow, GET, account, kind, id)
}

/// Without a tenant: for who delivers.
pub async fn by_id(conn: &mut Conn, id: &WebhookId) -> DbResult<Option<WebhookRow>> {
    fetch_optional!(conn, WebhookRow, BY_ID, id)
}

pub async fn list(
    conn: &mut Conn,
    account: &AccountId,
    kind: KeyKind,
    before: &str,
    limit: i64,
) -> DbResult<Vec<WebhookRow>> {
    fetch_all!(conn, WebhookRow, LIST, account, kind, before, limit)
}

/// Those that rest now, of both kinds.
pub async fn resting(conn: &mut Conn, account: &AccountId, now_ms: i64) -> DbResult<Vec<Resting>> {
    fetch_all!(conn, Resting, RESTING, account, now_ms)
}

/// Those of all accounts that rest now, the longest pause first.
pub async fn resting_all(conn: &mut Conn, now_ms: i64, limit: i64) -> DbResult<Vec<RestingRow>> {
    fetch_all!(conn, RestingRow, RESTING_ALL, now_ms, limit)
}

/// Those that are told of new events, of both kinds.
pub async fn active(conn: &mut Conn, account: &AccountId) -> DbResult<Vec<WebhookRow>> {
    fetch_all!(conn, WebhookRow, ACTIVE, account)
}

/// Writes what the customer may change. It also ends the lease of the node that
/// delivers with the old values. False if the row changed since it was read.
pub async fn save(conn: &mut Conn, w: &WebhookRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        SAVE,
        &w.account_id,
        &w.id,
        &w.url,
        &w.eventos,
        &w.emitente_ids,
        &w.descricao,
        &w.sealed,
        w.anterior_ate_ms,
        w.ativo,
        &w.motivo,
        w.failures,
        w.cool_until_ms,
        w.updated_at_ms,
        w.version,
        w.made_upto
    )?;
    Ok(rows == 1)
}

pub async fn delete(
    conn: &mut Conn,
    account: &AccountId,
    kind: KeyKind,
    id: &WebhookId,
) -> DbResult<bool> {
    Ok(execute!(conn, DELETE, account, kind, id)? == 1)
}

/// Makes a webhook due at `at_ms`, unless it is due earlier. The row is always
/// written, so that a node which releases the webhook in the same moment sees
/// the delivery.
pub async fn wake(conn: &mut Conn, id: &WebhookId, at_ms: i64) -> DbResult<()> {
    execute!(conn, WAKE, id, at_ms)?;
    calls::note(Cause::Deliveries);
    Ok(())
}

/// As `wake`, and ends a pause of the webhook: somebody asked for the delivery.
pub async fn hurry(conn: &mut Conn, id: &WebhookId, now_ms: i64) -> DbResult<()> {
    execute!(conn, HURRY, id, now_ms)?;
    calls::note(Cause::Deliveries);
    Ok(())
}

/// How many webhooks wait for a node, counting only accounts that have fewer
/// than `share` webhooks in delivery; all tenants, for the job.
pub async fn due(conn: &mut Conn, share: i64, now_ms: i64) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, DUE, now_ms, share)?.unwrap_or(0))
}

/// Gives this node the leases of the webhooks of [`due`] that have waited longest, `most` at
/// most; all tenants, for the job.
pub async fn claim(
    conn: &mut Conn,
    owner: &str,
    (share, most): (i64, i64),
    until_ms: i64,
    now_ms: i64,
) -> DbResult<Vec<WebhookRow>> {
    let claim = match conn {
        Conn::Sqlite(_) => CLAIM_SQLITE,
        Conn::Postgres(_) => CLAIM_POSTGRES,
    };
    fetch_all!(
        conn, WebhookRow, claim, owner, until_ms, now_ms, share, most
    )
}

/// Writes failures and pause of a webhook and how far deliveries are made, and renews the lease
/// of this node; false when another node has it, or it was turned off.
pub async fn progress(conn: &mut Conn, w: &WebhookRow, until_ms: i64) -> DbResult<bool> {
    let rows = execute!(
        conn,
        PROGRESS,
        &w.id,
        w.fence,
        w.failures,
        w.cool_until_ms,
        until_ms,
        w.made_upto
    )?;
    Ok(rows == 1)
}

/// The last place of the order of a webhook's account (0: no event has one), if this node has the
/// lease of the webhook, and nobody changed, turned off or removed it.
pub async fn upto_if_held(conn: &mut Conn, w: &WebhookRow) -> DbResult<Option<i64>> {
    fetch_value!(conn, i64, UPTO_IF_HELD, &w.id, w.fence)
}

/// Says that deliveries are made up to a place of the account's order, before they are: who
/// writes deliveries of a webhook has its row. False: they were made already.
pub async fn make(conn: &mut Conn, id: &WebhookId, upto: i64) -> DbResult<bool> {
    Ok(execute!(conn, MAKE, id, upto)? == 1)
}

/// Gives the lease back and locks the row until the transaction ends, so that an event that is
/// written at the same moment waits, and wakes the webhook afterwards. Whether the webhook is
/// active; none: another node has it. [`set_next`] follows.
pub async fn release(conn: &mut Conn, w: &WebhookRow) -> DbResult<Option<bool>> {
    let active = fetch_value!(conn, i64, RELEASE, &w.id, w.fence)?;
    Ok(active.map(|active| active == 1))
}

/// Says when a webhook that was given back is due: now if there is something `fresh` for it that
/// has no delivery, or else when its next delivery is. If that is now, it comes after the other
/// webhooks that are due. Also says how far deliveries are made.
pub async fn set_next(
    conn: &mut Conn,
    id: &WebhookId,
    now_ms: i64,
    upto: i64,
    fresh: bool,
) -> DbResult<()> {
    let next_ms = fetch_value!(conn, i64, SET_NEXT, id, now_ms, upto, i64::from(fresh))?;
    if next_ms.is_some_and(|next_ms| next_ms <= now_ms) {
        calls::note(Cause::Deliveries);
    }
    Ok(())
}

/// Makes those due whose account has events that nobody looked at for them, and that no node
/// has: most asked for none of these. How many they are.
pub async fn wake_behind(conn: &mut Conn, now_ms: i64) -> DbResult<u64> {
    let wake = match conn {
        Conn::Sqlite(_) => WAKE_BEHIND_SQLITE,
        Conn::Postgres(_) => WAKE_BEHIND_POSTGRES,
    };
    let behind = execute!(conn, wake, now_ms)?;
    if behind > 0 {
        calls::note(Cause::Deliveries);
    }
    Ok(behind)
}

/// Frees the webhooks of one node, which is gone or going.
pub async fn release_of(conn: &mut Conn, owner: &str) -> DbResult<()> {
    execute!(conn, RELEASE_OF, owner)?;
    Ok(())
}

/// Frees the webhooks of all nodes: only for a process that has the database
/// for itself, so that no other node delivers.
pub async fn release_all(conn: &mut Conn) -> DbResult<()> {
    execute!(conn, RELEASE_ALL)?;
    Ok(())
}

/// Turns a webhook off; false when another node has its lease, its owner changed it, or it is
/// off already.
pub async fn close(conn: &mut Conn, w: &WebhookRow, reason: &str, now_ms: i64) -> DbResult<bool> {
    Ok(execute!(conn, CLOSE, &w.id, w.fence, reason, now_ms)? == 1)
}

/// All tenants: only for key rotation and verification.
pub async fn page(conn: &mut Conn, after: &str, limit: i64) -> DbResult<Vec<WebhookRow>> {
    fetch_all!(conn, WebhookRow, PAGE, after, limit)
}

pub async fn set_sealed(conn: &mut Conn, id: &WebhookId, old: &[u8], new: &[u8]) -> DbResult<bool> {
    Ok(execute!(conn, SET_SEALED, id, old, new)? == 1)
}
