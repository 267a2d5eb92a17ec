//! Tables `deliveries` and `delivery_attempts`: one event for one webhook, and
//! each time it was sent.

use super::webhooks::WebhookRow;
use crate::ids::{AccountId, DeliveryId, OutboxId, WebhookId};
use crate::words::{KeyKind, Maybe, words};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

words! {
    /// What became of a delivery.
    #[derive(Default)]
    pub enum DeliveryStatus {
        #[default]
        Pending = "pendente",
        Delivered = "entregue",
        /// In the failure queue.
        Failed = "falhou",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct DeliveryRow {
        pub id: DeliveryId,
        pub account_id: AccountId,
        /// Of the webhook.
        pub kind: KeyKind,
        pub webhook_id: WebhookId,
        pub event_id: OutboxId,
        pub tipo: String,
        pub status: DeliveryStatus,
        pub attempts: i64,
        /// Attempts made before the last resend.
        pub resent_after: i64,
        /// When the schedule began.
        pub round_ms: i64,
        pub due_ms: i64,
        /// Why it was given up.
        pub motivo: String,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct AttemptRow {
        pub delivery_id: DeliveryId,
        pub number: i64,
        pub at_ms: i64,
        pub duration_ms: i64,
        /// HTTP status; 0: no answer, for the reason in `error`.
        pub status: i64,
        pub error: String,
        /// Beginning of the answer's body.
        pub answer: String,
    }
}

row! {
    /// A delivery of any account that did not arrive. Nothing of what it carries, and
    /// nothing of what the receiver answered but its status.
    #[derive(Clone, Debug)]
    pub struct OpenRow {
        pub id: DeliveryId,
        pub account_id: AccountId,
        /// Name of the account.
        pub nome: String,
        pub webhook_id: WebhookId,
        /// Empty: the webhook is gone.
        pub url: String,
        pub tipo: String,
        pub status: DeliveryStatus,
        pub attempts: i64,
        pub due_ms: i64,
        /// Why it was given up.
        pub motivo: String,
        pub created_at_ms: i64,
        /// HTTP status of the last attempt; 0: there was no answer, or no attempt.
        pub last_status: i64,
    }
}

/// Where a list of deliveries goes on: what was made before this moment, and at it
/// before this id.
#[derive(Clone, Debug)]
pub struct Older {
    pub at_ms: i64,
    pub id: DeliveryId,
}

/// Events a webhook asked for: names between commas, `,nfe.autorizada,`.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub tipos: String,
    /// Companies between commas; empty: all.
    pub emitters: String,
    /// The environment its kind of key does not see.
    pub unseen: String,
}

/// Which deliveries of an account.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    pub account_id: AccountId,
    pub kind: KeyKind,
    /// Empty: any.
    pub webhook_id: Maybe<WebhookId>,
    pub status: String,
    pub event_kind: String,
    /// Of their events, epoch milliseconds; 0: open.
    pub from_ms: i64,
    pub to_ms: i64,
}

// The casts keep SQLite from comparing the places with the condition of a partial index, and so
// from preparing the statement anew for each pair of them. SQLite begins at the first of two lower
// bounds: `sequencia > 0`, which the partial index needs, stands behind the place.
const FAN_OUT: &str = "INSERT INTO deliveries (id, account_id, kind, webhook_id, event_id, tipo, status, round_ms, due_ms, created_at_ms, updated_at_ms) \
     SELECT 'ent_' || SUBSTR(o.id, 5) || $4, o.account_id, $5, $6, o.id, o.tipo, 'pendente', CAST($7 AS BIGINT), CAST($7 AS BIGINT), o.created_at_ms, CAST($7 AS BIGINT) FROM outbox o \
     WHERE o.account_id = $1 AND o.sequencia > CAST($2 AS BIGINT) AND o.sequencia > 0 AND o.sequencia <= CAST($3 AS BIGINT) AND $8 LIKE '%,' || o.tipo || ',%' \
     AND ($9 = '' OR o.emitter_id = '' OR $9 LIKE '%,' || o.emitter_id || ',%') AND o.ambiente <> $10 AND o.created_at_ms >= $11 \
     ON CONFLICT DO NOTHING";
const INSERT: &str = "INSERT INTO deliveries (id, account_id, kind, webhook_id, event_id, tipo, status, round_ms, due_ms, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, 'pendente', $7, $7, $7, $7)";
const DUE: &str = "SELECT * FROM deliveries WHERE webhook_id = $1 AND status = 'pendente' AND due_ms <= $2 AND (due_ms, id) > ($3, $4) ORDER BY due_ms, id LIMIT $5";
const SAVE: &str = "UPDATE deliveries SET status = $2, attempts = $3, due_ms = $4, motivo = $5, updated_at_ms = $6 WHERE id = $1 AND status = 'pendente'";
const INSERT_ATTEMPT: &str = "INSERT INTO delivery_attempts (delivery_id, number, at_ms, duration_ms, status, error, answer) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
// A statement costs PostgreSQL a round trip, and SQLite next to nothing.
const SAVE_ALL_POSTGRES: &str = "UPDATE deliveries SET status = x.status, attempts = x.attempts, due_ms = x.due_ms, motivo = x.motivo, updated_at_ms = x.updated_at_ms \
     FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[]), CAST($5 AS TEXT[]), CAST($6 AS BIGINT[])) \
     AS x (id, status, attempts, due_ms, motivo, updated_at_ms) WHERE deliveries.id = x.id AND deliveries.status = 'pendente'";
const INSERT_ATTEMPTS_POSTGRES: &str = "INSERT INTO delivery_attempts (delivery_id, number, at_ms, duration_ms, status, error, answer) \
     SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[]), CAST($5 AS BIGINT[]), CAST($6 AS TEXT[]), CAST($7 AS TEXT[])) \
     ON CONFLICT DO NOTHING";
const GIVE_UP_ALL: &str = "UPDATE deliveries SET status = 'falhou', motivo = $2, updated_at_ms = $3 WHERE webhook_id = $1 AND status = 'pendente'";
const GIVE_UP_OLD: &str = "UPDATE deliveries SET status = 'falhou', motivo = $3, updated_at_ms = $4 \
     WHERE webhook_id = $1 AND status = 'pendente' AND due_ms <= $4 AND round_ms < $2";
const GET: &str = "SELECT * FROM deliveries WHERE account_id = $1 AND kind = $2 AND id = $3";
const BY_ID: &str = "SELECT * FROM deliveries WHERE id = $1";
const OPEN: &str = "SELECT d.id, d.account_id, a.nome, d.webhook_id, COALESCE(w.url, '') AS url, d.tipo, d.status, d.attempts, d.due_ms, d.motivo, d.created_at_ms, \
     COALESCE((SELECT t.status FROM delivery_attempts t WHERE t.delivery_id = d.id ORDER BY t.number DESC LIMIT 1), 0) AS last_status \
     FROM deliveries d JOIN accounts a ON a.id = d.account_id LEFT JOIN webhooks w ON w.id = d.webhook_id \
     WHERE d.status <> 'entregue' AND ($3 = '' OR d.status = $3) AND d.created_at_ms <= $1 AND (d.created_at_ms < $1 OR d.id < $2) \
     ORDER BY d.created_at_ms DESC, d.id DESC LIMIT $4";
const LIST: &str = "SELECT * FROM deliveries WHERE account_id = $1 AND kind = $2 AND id < CASE WHEN $3 = '' THEN 'zzzz' ELSE $3 END AND id >= $10 AND ($4 = '' OR webhook_id = $4) \
     AND ($5 = '' OR status = $5) AND ($6 = '' OR tipo = $6) AND ($7 = 0 OR created_at_ms >= $7) AND ($8 = 0 OR created_at_ms < $8) \
     ORDER BY id DESC LIMIT $9";
// The state is that of an index.
const LIST_FAILED: &str = "SELECT * FROM deliveries WHERE account_id = $1 AND kind = $2 AND id < CASE WHEN $3 = '' THEN 'zzzz' ELSE $3 END AND id >= $10 AND ($4 = '' OR webhook_id = $4) \
     AND status = 'falhou' AND ($5 = '' OR status = $5) AND ($6 = '' OR tipo = $6) AND ($7 = 0 OR created_at_ms >= $7) AND ($8 = 0 OR created_at_ms < $8) \
     ORDER BY id DESC LIMIT $9";
const ATTEMPTS: &str =
    "SELECT * FROM delivery_attempts WHERE delivery_id = $1 ORDER BY number LIMIT 200";
const RESEND: &str = "UPDATE deliveries SET status = 'pendente', resent_after = attempts, round_ms = $2, due_ms = $2, motivo = '', updated_at_ms = $2 \
     WHERE id = $1 AND status <> 'pendente'";
const RESEND_ALL: &str = "UPDATE deliveries SET status = 'pendente', resent_after = attempts, round_ms = $1, due_ms = $1, motivo = '', updated_at_ms = $1 \
     WHERE account_id = $2 AND kind = $3 AND webhook_id = $4 AND status = 'falhou' AND ($5 = '' OR tipo = $5) \
     AND created_at_ms >= $6 AND ($7 = 0 OR created_at_ms < $7)";
// Ids sort by the time of their event: the first ones are the oldest, and no index of ages is
// kept for this.
const OLD_ATTEMPTS: &str = "DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT d.id FROM deliveries d WHERE d.id < $1 AND d.created_at_ms < $2 ORDER BY d.id LIMIT $3)";
const OLD: &str = "DELETE FROM deliveries WHERE id IN (SELECT d.id FROM deliveries d WHERE d.id < $1 AND d.created_at_ms < $2 ORDER BY d.id LIMIT $3)";
const OLD_TESTS: &str = "DELETE FROM outbox WHERE id IN (SELECT o.id FROM outbox o WHERE o.teste = 1 AND o.created_at_ms < $1 \
     AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = o.id) LIMIT $2)";

/// How far the time in the id of an event may be from its moment, ms: they are taken by one
/// process at once.
const APART_MS: i64 = 60_000;

/// The id of the delivery of an event to a webhook.
pub fn id_of(event: &OutboxId, webhook: &WebhookId) -> DeliveryId {
    let event = event.get(4..).unwrap_or_default();
    DeliveryId::from(format!("ent_{event}{}", suffix(webhook)))
}

/// The random end of a webhook's id.
fn suffix(webhook: &WebhookId) -> &str {
    webhook
        .len()
        .checked_sub(10)
        .and_then(|from| webhook.get(from..))
        .unwrap_or_default()
}

/// A delivery of each of the account's events in places `after + 1 ..= upto`
/// that the webhook asked for; the answer is how many.
pub async fn fan_out(
    conn: &mut Conn,
    webhook: &WebhookRow,
    (after, upto): (i64, i64),
    wanted: &Wanted,
    now_ms: i64,
) -> DbResult<u64> {
    execute!(
        conn,
        FAN_OUT,
        &webhook.account_id,
        after,
        upto,
        suffix(&webhook.id),
        webhook.kind,
        &webhook.id,
        now_ms,
        &wanted.tipos,
        &wanted.emitters,
        &wanted.unseen,
        webhook.created_at_ms
    )
}

pub async fn insert(conn: &mut Conn, d: &DeliveryRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &d.id,
        &d.account_id,
        d.kind,
        &d.webhook_id,
        &d.event_id,
        &d.tipo,
        d.due_ms
    )?;
    Ok(())
}

/// Where a look at what is due goes on: after this delivery. The default is the beginning.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub due_ms: i64,
    pub id: DeliveryId,
}

/// The webhook's deliveries that are due, oldest first, after a place.
pub async fn due(
    conn: &mut Conn,
    webhook: &WebhookId,
    now_ms: i64,
    after: &Place,
    limit: i64,
) -> DbResult<Vec<DeliveryRow>> {
    let (due_ms, id) = (after.due_ms, &after.id);
    fetch_all!(conn, DeliveryRow, DUE, webhook, now_ms, due_ms, id, limit)
}

/// Writes what an attempt made of a delivery.
pub async fn save(conn: &mut Conn, d: &DeliveryRow, attempt: &AttemptRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT_ATTEMPT,
        &attempt.delivery_id,
        attempt.number,
        attempt.at_ms,
        attempt.duration_ms,
        attempt.status,
        &attempt.error,
        &attempt.answer
    )?;
    execute!(
        conn,
        SAVE,
        &d.id,
        d.status,
        d.attempts,
        d.due_ms,
        &d.motivo,
        d.updated_at_ms
    )?;
    Ok(())
}

/// Writes what one attempt made of each of some deliveries.
pub async fn save_all(conn: &mut Conn, made: &[(DeliveryRow, AttemptRow)]) -> DbResult<()> {
    if matches!(conn, Conn::Sqlite(_)) {
        for (delivery, attempt) in made {
            save(conn, delivery, attempt).await?;
        }
    }
    if let Conn::Postgres(conn) = conn {
        let numbers = |of: fn(&AttemptRow) -> i64| made.iter().map(|(_, a)| of(a)).collect();
        let numbers: [Vec<i64>; 4] = [
            numbers(|a| a.number),
            numbers(|a| a.at_ms),
            numbers(|a| a.duration_ms),
            numbers(|a| a.status),
        ];
        let [number, at_ms, duration_ms, status] = numbers;
        let errors: Vec<&str> = made.iter().map(|(_, a)| a.error.as_str()).collect();
        let answers: Vec<&str> = made.iter().map(|(_, a)| a.answer.as_str()).collect();
        let ids: Vec<&str> = made.iter().map(|(d, _)| d.id.as_str()).collect();
        let insert = sqlx::query(INSERT_ATTEMPTS_POSTGRES).bind(&ids);
        let insert = insert.bind(number).bind(at_ms).bind(duration_ms);
        let insert = insert.bind(status).bind(errors).bind(answers);
        insert.execute(&mut **conn).await?;
        let numbers = |of: fn(&DeliveryRow) -> i64| made.iter().map(|(d, _)| of(d)).collect();
        let (attempts, due_ms, updated_at_ms): (Vec<i64>, Vec<i64>, Vec<i64>) = (
            numbers(|d| d.attempts),
            numbers(|d| d.due_ms),
            numbers(|d| d.updated_at_ms),
        );
        let statuses: Vec<&str> = made.iter().map(|(d, _)| d.status.as_str()).collect();
        let reasons: Vec<&str> = made.iter().map(|(d, _)| d.motivo.as_str()).collect();
        let update = sqlx::query(SAVE_ALL_POSTGRES).bind(ids).bind(statuses);
        let update = update.bind(attempts).bind(due_ms);
        let update = update.bind(reasons).bind(updated_at_ms);
        update.execute(&mut **conn).await?;
    }
    Ok(())
}

/// All that waits for a webhook goes to the failure queue.
pub async fn give_up_all(
    conn: &mut Conn,
    webhook: &WebhookId,
    reason: &str,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, GIVE_UP_ALL, webhook, reason, now_ms)?;
    Ok(())
}

/// What is due and began before a moment goes to the failure queue.
pub async fn give_up_old(
    conn: &mut Conn,
    webhook: &WebhookId,
    before_ms: i64,
    reason: &str,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, GIVE_UP_OLD, webhook, before_ms, reason, now_ms)?;
    Ok(())
}

pub async fn get(
    conn: &mut Conn,
    account: &AccountId,
    kind: KeyKind,
    id: &DeliveryId,
) -> DbResult<Option<DeliveryRow>> {
    fetch_optional!(conn, DeliveryRow, GET, account, kind, id)
}

/// Without a tenant: for operators.
pub async fn by_id(conn: &mut Conn, id: &DeliveryId) -> DbResult<Option<DeliveryRow>> {
    fetch_optional!(conn, DeliveryRow, BY_ID, id)
}

/// Those of all accounts that did not arrive, newest first: of a status, or of either
/// (`None`).
pub async fn open(
    conn: &mut Conn,
    status: Option<DeliveryStatus>,
    older: &Older,
    limit: i64,
) -> DbResult<Vec<OpenRow>> {
    let status = status.map_or("", DeliveryStatus::as_str);
    fetch_all!(conn, OpenRow, OPEN, older.at_ms, &older.id, status, limit)
}

/// Newest first, below an id.
pub async fn list(
    conn: &mut Conn,
    c: &Choice,
    before: &str,
    limit: i64,
) -> DbResult<Vec<DeliveryRow>> {
    let sql = if c.status == DeliveryStatus::Failed.as_str() {
        LIST_FAILED
    } else {
        LIST
    };
    // Ids sort by the time of their event: a period is a stretch of them.
    let at = |ms: i64| id_of(&OutboxId::floor(ms), &WebhookId::default());
    let first = match c.from_ms {
        0 => DeliveryId::default(),
        from_ms => at(from_ms.saturating_sub(APART_MS)),
    };
    let end = match c.to_ms {
        0 => DeliveryId::default(),
        to_ms => at(to_ms.saturating_add(APART_MS)),
    };
    let before = if before.is_empty() || (!end.is_empty() && end.as_str() < before) {
        end.as_str()
    } else {
        before
    };
    fetch_all!(
        conn,
        DeliveryRow,
        sql,
        &c.account_id,
        c.kind,
        before,
        &c.webhook_id,
        &c.status,
        &c.event_kind,
        c.from_ms,
        c.to_ms,
        limit,
        &first
    )
}

/// Every time a delivery was sent.
pub async fn attempts(conn: &mut Conn, delivery: &DeliveryId) -> DbResult<Vec<AttemptRow>> {
    fetch_all!(conn, AttemptRow, ATTEMPTS, delivery)
}

/// Begins the schedule again; false when it waits already.
pub async fn resend(conn: &mut Conn, id: &DeliveryId, now_ms: i64) -> DbResult<bool> {
    Ok(execute!(conn, RESEND, id, now_ms)? == 1)
}

/// The same for all of a choice in the failure queue of one webhook.
pub async fn resend_all(conn: &mut Conn, c: &Choice, now_ms: i64) -> DbResult<u64> {
    execute!(
        conn,
        RESEND_ALL,
        now_ms,
        &c.account_id,
        c.kind,
        &c.webhook_id,
        &c.event_kind,
        c.from_ms,
        c.to_ms
    )
}

/// Removes the oldest of before a moment, at most `limit`; how many they were.
pub async fn purge(conn: &mut Conn, before_ms: i64, limit: i64) -> DbResult<u64> {
    let first = id_of(&OutboxId::floor(before_ms), &WebhookId::default());
    execute!(conn, OLD_ATTEMPTS, &first, before_ms, limit)?;
    let removed = execute!(conn, OLD, &first, before_ms, limit)?;
    execute!(conn, OLD_TESTS, before_ms, limit)?;
    Ok(removed)
}
