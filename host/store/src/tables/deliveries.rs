//! Tables `deliveries` and `delivery_attempts`: one event for one webhook with the last time it
//! was sent, and each time before that.

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
    /// An event that a webhook is to be told of and that has no delivery yet.
    #[derive(Clone, Debug)]
    pub struct FreshRow {
        pub id: OutboxId,
        pub tipo: String,
        pub created_at_ms: i64,
        /// Place in the account's order.
        pub sequencia: i64,
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
// The conditions of the two are the same: an event that one of them leaves out has no delivery.
const FAN_OUT: &str = "INSERT INTO deliveries (id, account_id, kind, webhook_id, event_id, tipo, status, round_ms, due_ms, created_at_ms, updated_at_ms) \
     SELECT 'ent_' || SUBSTR(o.id, 5) || $4, o.account_id, $9, $10, o.id, o.tipo, 'pendente', CAST($11 AS BIGINT), CAST($11 AS BIGINT), o.created_at_ms, CAST($11 AS BIGINT) FROM outbox o \
     WHERE o.account_id = $1 AND o.sequencia > CAST($2 AS BIGINT) AND o.sequencia > 0 AND o.sequencia <= CAST($3 AS BIGINT) AND $5 LIKE '%,' || o.tipo || ',%' \
     AND ($6 = '' OR o.emitter_id = '' OR $6 LIKE '%,' || o.emitter_id || ',%') AND o.ambiente <> $7 AND o.created_at_ms >= $8 \
     ON CONFLICT DO NOTHING";
const FRESH: &str = "SELECT o.id, o.tipo, o.created_at_ms, o.sequencia FROM outbox o \
     WHERE o.account_id = $1 AND o.sequencia > CAST($2 AS BIGINT) AND o.sequencia > 0 AND o.sequencia <= CAST($3 AS BIGINT) AND $5 LIKE '%,' || o.tipo || ',%' \
     AND ($6 = '' OR o.emitter_id = '' OR $6 LIKE '%,' || o.emitter_id || ',%') AND o.ambiente <> $7 AND o.created_at_ms >= $8 \
     AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = 'ent_' || SUBSTR(o.id, 5) || $4) ORDER BY o.sequencia LIMIT CAST($9 AS BIGINT)";
const INSERT: &str = "INSERT INTO deliveries (id, account_id, kind, webhook_id, event_id, tipo, status, round_ms, due_ms, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, 'pendente', $7, $7, $7, $7)";
const DUE: &str = "SELECT * FROM deliveries WHERE webhook_id = $1 AND status = 'pendente' AND due_ms <= $2 AND (due_ms, id) > ($3, $4) ORDER BY due_ms, id LIMIT CAST($5 AS BIGINT)";
const INSERT_RESULT: &str = "INSERT INTO deliveries (id, account_id, kind, webhook_id, event_id, tipo, status, attempts, round_ms, due_ms, motivo, created_at_ms, updated_at_ms, \
     last_number, last_at_ms, last_duration_ms, last_status, last_error, last_answer) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING";
// What another transaction settled meanwhile keeps its last attempt.
const KEEP: &str = "INSERT INTO delivery_attempts (delivery_id, number, at_ms, duration_ms, status, error, answer) \
     SELECT d.id, d.last_number, d.last_at_ms, d.last_duration_ms, d.last_status, d.last_error, d.last_answer FROM deliveries d \
     WHERE d.id = $1 AND d.last_number > 0 AND d.status = 'pendente' ON CONFLICT DO NOTHING";
const SAVE: &str = "UPDATE deliveries SET status = $2, attempts = $3, due_ms = $4, motivo = $5, updated_at_ms = $6, \
     last_number = $7, last_at_ms = $8, last_duration_ms = $9, last_status = $10, last_error = $11, last_answer = $12 WHERE id = $1 AND status = 'pendente'";
const INSERT_ATTEMPT: &str = "INSERT INTO delivery_attempts (delivery_id, number, at_ms, duration_ms, status, error, answer) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
// A statement costs PostgreSQL a round trip, and SQLite next to nothing.
const INSERT_RESULTS_POSTGRES: &str = "INSERT INTO deliveries (id, account_id, kind, webhook_id, event_id, tipo, status, attempts, round_ms, due_ms, motivo, created_at_ms, updated_at_ms, \
     last_number, last_at_ms, last_duration_ms, last_status, last_error, last_answer) \
     SELECT * FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS TEXT[]), CAST($4 AS TEXT[]), CAST($5 AS TEXT[]), CAST($6 AS TEXT[]), CAST($7 AS TEXT[]), \
     CAST($8 AS BIGINT[]), CAST($9 AS BIGINT[]), CAST($10 AS BIGINT[]), CAST($11 AS TEXT[]), CAST($12 AS BIGINT[]), CAST($13 AS BIGINT[]), \
     CAST($14 AS BIGINT[]), CAST($15 AS BIGINT[]), CAST($16 AS BIGINT[]), CAST($17 AS BIGINT[]), CAST($18 AS TEXT[]), CAST($19 AS TEXT[])) \
     ON CONFLICT DO NOTHING RETURNING id";
const KEEP_POSTGRES: &str = "INSERT INTO delivery_attempts (delivery_id, number, at_ms, duration_ms, status, error, answer) \
     SELECT d.id, d.last_number, d.last_at_ms, d.last_duration_ms, d.last_status, d.last_error, d.last_answer FROM deliveries d \
     WHERE d.id = ANY(CAST($1 AS TEXT[])) AND d.last_number > 0 AND d.status = 'pendente' ON CONFLICT DO NOTHING";
const SAVE_ALL_POSTGRES: &str = "UPDATE deliveries SET status = x.status, attempts = x.attempts, due_ms = x.due_ms, motivo = x.motivo, updated_at_ms = x.updated_at_ms, \
     last_number = x.last_number, last_at_ms = x.last_at_ms, last_duration_ms = x.last_duration_ms, last_status = x.last_status, last_error = x.last_error, last_answer = x.last_answer \
     FROM UNNEST(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[]), CAST($4 AS BIGINT[]), CAST($5 AS TEXT[]), CAST($6 AS BIGINT[]), \
     CAST($7 AS BIGINT[]), CAST($8 AS BIGINT[]), CAST($9 AS BIGINT[]), CAST($10 AS BIGINT[]), CAST($11 AS TEXT[]), CAST($12 AS TEXT[])) \
     AS x (id, status, attempts, due_ms, motivo, updated_at_ms, last_number, last_at_ms, last_duration_ms, last_status, last_error, last_answer) \
     WHERE deliveries.id = x.id AND deliveries.status = 'pendente' RETURNING deliveries.id";
const GIVE_UP_ALL: &str = "UPDATE deliveries SET status = 'falhou', motivo = $2, updated_at_ms = $3 WHERE webhook_id = $1 AND status = 'pendente'";
const GIVE_UP_OLD: &str = "UPDATE deliveries SET status = 'falhou', motivo = $3, updated_at_ms = $4 \
     WHERE webhook_id = $1 AND status = 'pendente' AND due_ms <= $4 AND round_ms < $2";
const GET: &str = "SELECT * FROM deliveries WHERE account_id = $1 AND kind = $2 AND id = $3";
const BY_ID: &str = "SELECT * FROM deliveries WHERE id = $1";
const OPEN: &str = "SELECT d.id, d.account_id, a.nome, d.webhook_id, COALESCE(w.url, '') AS url, d.tipo, d.status, d.attempts, d.due_ms, d.motivo, d.created_at_ms, \
     COALESCE((SELECT t.status FROM delivery_attempts t WHERE t.delivery_id = d.id AND t.number >= d.last_number ORDER BY t.number DESC LIMIT 1), d.last_status) AS last_status \
     FROM deliveries d JOIN accounts a ON a.id = d.account_id LEFT JOIN webhooks w ON w.id = d.webhook_id \
     WHERE d.status <> 'entregue' AND ($3 = '' OR d.status = $3) AND d.created_at_ms <= $1 AND (d.created_at_ms < $1 OR d.id < $2) \
     ORDER BY d.created_at_ms DESC, d.id DESC LIMIT CAST($4 AS BIGINT)";
const LIST: &str = "SELECT * FROM deliveries WHERE account_id = $1 AND kind = $2 AND id < CASE WHEN $3 = '' THEN 'zzzz' ELSE $3 END AND id >= $10 AND ($4 = '' OR webhook_id = $4) \
     AND ($5 = '' OR status = $5) AND ($6 = '' OR tipo = $6) AND ($7 = 0 OR created_at_ms >= $7) AND ($8 = 0 OR created_at_ms < $8) \
     ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
// The state is that of an index.
const LIST_FAILED: &str = "SELECT * FROM deliveries WHERE account_id = $1 AND kind = $2 AND id < CASE WHEN $3 = '' THEN 'zzzz' ELSE $3 END AND id >= $10 AND ($4 = '' OR webhook_id = $4) \
     AND status = 'falhou' AND ($5 = '' OR status = $5) AND ($6 = '' OR tipo = $6) AND ($7 = 0 OR created_at_ms >= $7) AND ($8 = 0 OR created_at_ms < $8) \
     ORDER BY id DESC LIMIT CAST($9 AS BIGINT)";
const ATTEMPTS: &str = "SELECT t.delivery_id, t.number, t.at_ms, t.duration_ms, t.status, t.error, t.answer FROM delivery_attempts t WHERE t.delivery_id = $1 \
     UNION ALL SELECT d.id, d.last_number, d.last_at_ms, d.last_duration_ms, d.last_status, d.last_error, d.last_answer FROM deliveries d WHERE d.id = $1 AND d.last_number > 0 \
     AND NOT EXISTS (SELECT 1 FROM delivery_attempts s WHERE s.delivery_id = d.id AND s.number = d.last_number) ORDER BY number LIMIT 200";
const RESEND: &str = "UPDATE deliveries SET status = 'pendente', resent_after = attempts, round_ms = $2, due_ms = $2, motivo = '', updated_at_ms = $2 \
     WHERE id = $1 AND status <> 'pendente'";
const RESEND_ALL: &str = "UPDATE deliveries SET status = 'pendente', resent_after = attempts, round_ms = $1, due_ms = $1, motivo = '', updated_at_ms = $1 \
     WHERE account_id = $2 AND kind = $3 AND webhook_id = $4 AND status = 'falhou' AND ($5 = '' OR tipo = $5) \
     AND created_at_ms >= $6 AND ($7 = 0 OR created_at_ms < $7)";
// Ids sort by the time of their event: the first ones are the oldest, and no index of ages is
// kept for this.
const OLD_ATTEMPTS: &str = "DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT d.id FROM deliveries d WHERE d.id < $1 AND d.created_at_ms < $2 ORDER BY d.id LIMIT CAST($3 AS BIGINT))";
const OLD: &str = "DELETE FROM deliveries WHERE id IN (SELECT d.id FROM deliveries d WHERE d.id < $1 AND d.created_at_ms < $2 ORDER BY d.id LIMIT CAST($3 AS BIGINT))";
// The range: see `outbox::OLD`.
const OLD_TESTS: &str = "DELETE FROM outbox WHERE id IN (SELECT o.id FROM outbox o WHERE o.teste = 1 AND o.created_at_ms < $1 \
     AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id > 'ent_' || SUBSTR(o.id, 5) AND d.id < 'ent_' || SUBSTR(o.id, 5) || 'zzzzzzzzzzz') LIMIT CAST($2 AS BIGINT))";

/// How far the time in the id of an event may be from its moment, ms: they are taken by one
/// process at once.
const APART_MS: i64 = 60_000;

/// The id of the delivery of an event to a webhook.
pub fn id_of(event: &OutboxId, webhook: &WebhookId) -> DeliveryId {
    let event = event.get(4..).unwrap_or_default();
    DeliveryId::from(["ent_", event, suffix(webhook)].concat())
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
        &wanted.tipos,
        &wanted.emitters,
        &wanted.unseen,
        webhook.created_at_ms,
        webhook.kind,
        &webhook.id,
        now_ms
    )
}

/// Those of the account's events in places `after + 1 ..= upto` that the webhook asked for and
/// that have no delivery to it, in their order.
pub async fn fresh(
    conn: &mut Conn,
    webhook: &WebhookRow,
    (after, upto): (i64, i64),
    wanted: &Wanted,
    limit: i64,
) -> DbResult<Vec<FreshRow>> {
    fetch_all!(
        conn,
        FreshRow,
        FRESH,
        &webhook.account_id,
        after,
        upto,
        suffix(&webhook.id),
        &wanted.tipos,
        &wanted.emitters,
        &wanted.unseen,
        webhook.created_at_ms,
        limit
    )
}

/// The delivery of an event to a webhook, due from now on, as [`fan_out`] would make it.
pub fn made_of(event: FreshRow, webhook: &WebhookRow, now_ms: i64) -> DeliveryRow {
    DeliveryRow {
        id: id_of(&event.id, &webhook.id),
        account_id: webhook.account_id.clone(),
        kind: webhook.kind,
        webhook_id: webhook.id.clone(),
        event_id: event.id,
        tipo: event.tipo,
        round_ms: now_ms,
        due_ms: now_ms,
        created_at_ms: event.created_at_ms,
        updated_at_ms: now_ms,
        ..DeliveryRow::default()
    }
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

/// A delivery after an attempt, and the attempt.
pub type Tried = (DeliveryRow, AttemptRow);

/// Writes what an attempt made of a delivery. One that waits no more keeps its state; the attempt
/// is recorded all the same.
pub async fn save(conn: &mut Conn, d: &DeliveryRow, attempt: &AttemptRow) -> DbResult<()> {
    execute!(&mut *conn, KEEP, &d.id)?;
    let saved = execute!(
        &mut *conn,
        SAVE,
        &d.id,
        d.status,
        d.attempts,
        d.due_ms,
        &d.motivo,
        d.updated_at_ms,
        attempt.number,
        attempt.at_ms,
        attempt.duration_ms,
        attempt.status,
        &attempt.error,
        &attempt.answer
    )?;
    if saved == 0 {
        insert_attempt(conn, attempt).await?;
    }
    Ok(())
}

async fn insert_attempt(conn: &mut Conn, a: &AttemptRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT_ATTEMPT,
        &a.delivery_id,
        a.number,
        a.at_ms,
        a.duration_ms,
        a.status,
        &a.error,
        &a.answer
    )?;
    Ok(())
}

/// Writes what one attempt made of each of some deliveries.
pub async fn save_all(conn: &mut Conn, made: &[Tried]) -> DbResult<()> {
    if let Conn::Postgres(server) = conn {
        let ids = texts(made, |(d, _)| &d.id);
        let keep = sqlx::query(KEEP_POSTGRES).bind(&ids);
        keep.execute(&mut **server).await?;
        let update = sqlx::query_scalar(SAVE_ALL_POSTGRES)
            .bind(ids)
            .bind(texts(made, |(d, _)| d.status.as_str()))
            .bind(numbers(made, |(d, _)| d.attempts))
            .bind(numbers(made, |(d, _)| d.due_ms))
            .bind(texts(made, |(d, _)| &d.motivo))
            .bind(numbers(made, |(d, _)| d.updated_at_ms))
            .bind(numbers(made, |(_, a)| a.number))
            .bind(numbers(made, |(_, a)| a.at_ms))
            .bind(numbers(made, |(_, a)| a.duration_ms))
            .bind(numbers(made, |(_, a)| a.status))
            .bind(texts(made, |(_, a)| &a.error))
            .bind(texts(made, |(_, a)| &a.answer));
        let saved: Vec<String> = update.fetch_all(&mut **server).await?;
        // Those that wait no more.
        for (_, a) in others(made, &saved) {
            insert_attempt(&mut *conn, a).await?;
        }
    } else {
        for (delivery, attempt) in made {
            save(conn, delivery, attempt).await?;
        }
    }
    Ok(())
}

/// Writes deliveries that are no rows yet, each with what its first attempt made of it. Of one
/// that is a row meanwhile, the result is written as by [`save_all`].
pub async fn insert_all(conn: &mut Conn, made: &[Tried]) -> DbResult<()> {
    if let Conn::Postgres(server) = conn {
        let insert = sqlx::query_scalar(INSERT_RESULTS_POSTGRES)
            .bind(texts(made, |(d, _)| &d.id))
            .bind(texts(made, |(d, _)| &d.account_id))
            .bind(texts(made, |(d, _)| d.kind.as_str()))
            .bind(texts(made, |(d, _)| &d.webhook_id))
            .bind(texts(made, |(d, _)| &d.event_id))
            .bind(texts(made, |(d, _)| &d.tipo))
            .bind(texts(made, |(d, _)| d.status.as_str()))
            .bind(numbers(made, |(d, _)| d.attempts))
            .bind(numbers(made, |(d, _)| d.round_ms))
            .bind(numbers(made, |(d, _)| d.due_ms))
            .bind(texts(made, |(d, _)| &d.motivo))
            .bind(numbers(made, |(d, _)| d.created_at_ms))
            .bind(numbers(made, |(d, _)| d.updated_at_ms))
            .bind(numbers(made, |(_, a)| a.number))
            .bind(numbers(made, |(_, a)| a.at_ms))
            .bind(numbers(made, |(_, a)| a.duration_ms))
            .bind(numbers(made, |(_, a)| a.status))
            .bind(texts(made, |(_, a)| &a.error))
            .bind(texts(made, |(_, a)| &a.answer));
        let inserted: Vec<String> = insert.fetch_all(&mut **server).await?;
        let rest: Vec<Tried> = others(made, &inserted).cloned().collect();
        if !rest.is_empty() {
            save_all(conn, &rest).await?;
        }
    } else {
        for (delivery, attempt) in made {
            if !insert_result(conn, delivery, attempt).await? {
                save(conn, delivery, attempt).await?;
            }
        }
    }
    Ok(())
}

/// False: there is a row already.
async fn insert_result(conn: &mut Conn, d: &DeliveryRow, a: &AttemptRow) -> DbResult<bool> {
    let inserted = execute!(
        conn,
        INSERT_RESULT,
        &d.id,
        &d.account_id,
        d.kind,
        &d.webhook_id,
        &d.event_id,
        &d.tipo,
        d.status,
        d.attempts,
        d.round_ms,
        d.due_ms,
        &d.motivo,
        d.created_at_ms,
        d.updated_at_ms,
        a.number,
        a.at_ms,
        a.duration_ms,
        a.status,
        &a.error,
        &a.answer
    )?;
    Ok(inserted == 1)
}

/// A column of numbers, as PostgreSQL takes it.
fn numbers(made: &[Tried], of: fn(&Tried) -> i64) -> Vec<i64> {
    made.iter().map(of).collect()
}

/// A column of texts, as PostgreSQL takes it.
fn texts(made: &[Tried], of: fn(&Tried) -> &str) -> Vec<&str> {
    made.iter().map(of).collect()
}

/// Those of some deliveries that have none of these ids.
fn others<'m>(made: &'m [Tried], ids: &'m [String]) -> impl Iterator<Item = &'m Tried> {
    made.iter()
        .filter(|(delivery, _)| !ids.iter().any(|id| id == delivery.id.as_str()))
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
