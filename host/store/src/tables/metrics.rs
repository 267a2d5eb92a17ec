//! Levels for the metrics: one row of each, over all accounts.

use crate::{Conn, DbResult, fetch_optional, fetch_value, row};

row! {
    struct Level {
        many: i64,
        since_ms: i64,
    }
}

row! {
    /// Open flows: those that nobody runs though their moment has come and since when
    /// (epoch milliseconds; 0: there is none), those that sleep, those that a node runs.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct FlowLevels {
        pub due: i64,
        pub due_since_ms: i64,
        pub asleep: i64,
        pub running: i64,
    }
}

row! {
    /// Mails and messages that wait: all of them, those whose moment has come and since
    /// when (0: there is none), those that were tried before.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct MailLevels {
        pub waiting: i64,
        pub due: i64,
        pub due_since_ms: i64,
        pub tried: i64,
    }
}

row! {
    /// Certificates that companies sign with, by when they end, and when the next one
    /// does (epoch milliseconds; 0: none will).
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct CertificateLevels {
        pub ended: i64,
        pub days_7: i64,
        pub days_30: i64,
        pub later: i64,
        pub next_ms: i64,
    }
}

row! {
    /// Webhooks that something is to be sent to and that have no delivery of it yet, events
    /// that they may have to be told of (at most so many: those that they did not ask for are
    /// counted, too), and since when the first of them is due, or was given back with something
    /// left (epoch milliseconds; 0: there is none).
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct BehindLevels {
        pub webhooks: i64,
        pub events: i64,
        pub since_ms: i64,
    }
}

/// Counts that should be small (notes in transmission, held credits, events, deliveries
/// and mails that wait) and since when there is one (epoch milliseconds; 0: there is
/// none).
#[derive(Clone, Debug, Default)]
pub struct Levels {
    pub unknown: i64,
    pub unknown_since_ms: i64,
    pub held: i64,
    pub outbox: i64,
    pub outbox_since_ms: i64,
    pub deliveries: i64,
    pub deliveries_since_ms: i64,
    pub behind: BehindLevels,
    pub mails: MailLevels,
}

/// What is asked of the database for the page of queues alone.
#[derive(Clone, Debug, Default)]
pub struct Queues {
    pub levels: Levels,
    pub flows: FlowLevels,
    /// Deliveries that wait, due or not, and those in the failure queue.
    pub deliveries_waiting: i64,
    pub deliveries_failed: i64,
    /// Events of notes (cancellations, letters) in transmission, and since when.
    pub events: i64,
    pub events_since_ms: i64,
}

// Each finds its rows in a partial index, but for the balances, of which there
// is one per account.
const UNKNOWN: &str = "SELECT COUNT(*) AS many, COALESCE(MIN(created_at_ms), 0) AS since_ms FROM notas WHERE status = 'em_transmissao'";
const HELD: &str = "SELECT CAST(COALESCE(SUM(balance), 0) AS BIGINT) AS many, CAST(0 AS BIGINT) AS since_ms FROM ledger_accounts WHERE kind = 'held'";
const OUTBOX: &str = "SELECT COUNT(*) AS many, COALESCE(MIN(created_at_ms), 0) AS since_ms FROM outbox WHERE sequencia = 0 AND teste = 0";
const DELIVERIES: &str = "SELECT COUNT(*) AS many, COALESCE(MIN(due_ms), 0) AS since_ms FROM deliveries WHERE status = 'pendente' AND due_ms <= $1";
// Those that are due alone, which are few: a webhook that waits for an event that it asks for is not,
// however far its place is behind. Nothing is read of the events, so that a reading costs the same
// after a burst of them.
const BEHIND: &str = "SELECT COUNT(*) AS webhooks, CAST(COALESCE(SUM(x.last - x.made_upto), 0) AS BIGINT) AS events, COALESCE(MIN(x.next_ms), 0) AS since_ms \
     FROM (SELECT w.next_ms, w.made_upto, (SELECT e.last FROM event_order e WHERE e.account_id = w.account_id) AS last \
     FROM webhooks w WHERE w.ativo = 1 AND w.next_ms <= $1 AND w.failures = 0) AS x WHERE x.made_upto < x.last";
const MAILS: &str = "SELECT COUNT(*) AS waiting, CAST(COALESCE(SUM(CASE WHEN due_ms <= $1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS due, \
     CAST(COALESCE(MIN(CASE WHEN due_ms <= $1 THEN due_ms END), 0) AS BIGINT) AS due_since_ms, CAST(COALESCE(SUM(CASE WHEN attempts > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS tried \
     FROM mails WHERE status = 'fila'";
const FLOWS: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN lease_owner = '' AND wake_at_ms <= $1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS due, \
     CAST(COALESCE(MIN(CASE WHEN lease_owner = '' AND wake_at_ms <= $1 THEN updated_at_ms END), 0) AS BIGINT) AS due_since_ms, \
     CAST(COALESCE(SUM(CASE WHEN lease_owner = '' AND wake_at_ms > $1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS asleep, \
     CAST(COALESCE(SUM(CASE WHEN lease_owner <> '' THEN 1 ELSE 0 END), 0) AS BIGINT) AS running FROM flows WHERE phase <> 'done'";
const WAITING: &str = "SELECT COUNT(*) FROM deliveries WHERE status = 'pendente'";
const FAILED: &str = "SELECT COUNT(*) FROM deliveries WHERE status = 'falhou'";
const EVENTS: &str = "SELECT COUNT(*) AS many, COALESCE(MIN(created_at_ms), 0) AS since_ms FROM eventos WHERE status = 'em_transmissao'";
// One row for each company that has a certificate.
const CERTIFICATES: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN c.valido_ate_ms < $1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS ended, \
     CAST(COALESCE(SUM(CASE WHEN c.valido_ate_ms >= $1 AND c.valido_ate_ms < $2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS days_7, \
     CAST(COALESCE(SUM(CASE WHEN c.valido_ate_ms >= $2 AND c.valido_ate_ms < $3 THEN 1 ELSE 0 END), 0) AS BIGINT) AS days_30, \
     CAST(COALESCE(SUM(CASE WHEN c.valido_ate_ms >= $3 THEN 1 ELSE 0 END), 0) AS BIGINT) AS later, \
     CAST(COALESCE(MIN(CASE WHEN c.valido_ate_ms >= $1 THEN c.valido_ate_ms END), 0) AS BIGINT) AS next_ms \
     FROM emitters e JOIN certificates c ON c.id = e.certificate_id";

/// A day, in milliseconds.
const DAY_MS: i64 = 86_400_000;

/// Certificates by when they end. It reads a row of each company: not for every reading
/// of the metrics.
///
/// # Errors
/// The database failed.
pub async fn certificates(conn: &mut Conn, now_ms: i64) -> DbResult<CertificateLevels> {
    let (days_7, days_30) = (now_ms + 7 * DAY_MS, now_ms + 30 * DAY_MS);
    let levels = fetch_optional!(
        conn,
        CertificateLevels,
        CERTIFICATES,
        now_ms,
        days_7,
        days_30
    )?;
    Ok(levels.unwrap_or_default())
}

/// What waits in each queue.
///
/// # Errors
/// The database failed.
pub async fn queues(conn: &mut Conn, now_ms: i64) -> DbResult<Queues> {
    let levels = levels(conn, now_ms).await?;
    let flows = fetch_optional!(&mut *conn, FlowLevels, FLOWS, now_ms)?;
    let events = of(fetch_optional!(&mut *conn, Level, EVENTS)?);
    Ok(Queues {
        levels,
        flows: flows.unwrap_or_default(),
        deliveries_waiting: fetch_value!(&mut *conn, i64, WAITING)?.unwrap_or(0),
        deliveries_failed: fetch_value!(&mut *conn, i64, FAILED)?.unwrap_or(0),
        events: events.0,
        events_since_ms: events.1,
    })
}

/// All of them at this moment.
pub async fn levels(conn: &mut Conn, now_ms: i64) -> DbResult<Levels> {
    let unknown = of(fetch_optional!(&mut *conn, Level, UNKNOWN)?);
    let held = of(fetch_optional!(&mut *conn, Level, HELD)?);
    let outbox = of(fetch_optional!(&mut *conn, Level, OUTBOX)?);
    let deliveries = of(fetch_optional!(&mut *conn, Level, DELIVERIES, now_ms)?);
    let behind = fetch_optional!(&mut *conn, BehindLevels, BEHIND, now_ms)?;
    let mails = fetch_optional!(&mut *conn, MailLevels, MAILS, now_ms)?;
    Ok(Levels {
        unknown: unknown.0,
        unknown_since_ms: unknown.1,
        held: held.0,
        outbox: outbox.0,
        outbox_since_ms: outbox.1,
        deliveries: deliveries.0,
        deliveries_since_ms: deliveries.1,
        behind: behind.unwrap_or_default(),
        mails: mails.unwrap_or_default(),
    })
}

fn of(level: Option<Level>) -> (i64, i64) {
    level.map_or((0, 0), |level| (level.many, level.since_ms))
}
