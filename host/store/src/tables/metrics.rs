//! Levels for the metrics: one row of each, over all accounts.

use crate::{Conn, DbResult, fetch_optional, row};

row! {
    struct Level {
        many: i64,
        since_ms: i64,
    }
}

/// Counts that should be small (notes in transmission, held credits, events and
/// deliveries that wait) and since when there is one (epoch milliseconds; 0:
/// there is none).
#[derive(Clone, Debug, Default)]
pub struct Levels {
    pub unknown: i64,
    pub unknown_since_ms: i64,
    pub held: i64,
    pub outbox: i64,
    pub outbox_since_ms: i64,
    pub deliveries: i64,
    pub deliveries_since_ms: i64,
}

// Each finds its rows in a partial index, but for the balances, of which there
// is one per account.
const UNKNOWN: &str = "SELECT COUNT(*) AS many, COALESCE(MIN(created_at_ms), 0) AS since_ms FROM notas WHERE status = 'em_transmissao'";
const HELD: &str = "SELECT CAST(COALESCE(SUM(balance), 0) AS BIGINT) AS many, CAST(0 AS BIGINT) AS since_ms FROM ledger_accounts WHERE kind = 'held'";
const OUTBOX: &str = "SELECT COUNT(*) AS many, COALESCE(MIN(created_at_ms), 0) AS since_ms FROM outbox WHERE sequencia = 0 AND teste = 0";
const DELIVERIES: &str = "SELECT COUNT(*) AS many, COALESCE(MIN(due_ms), 0) AS since_ms FROM deliveries WHERE status = 'pendente' AND due_ms <= $1";

/// All of them at this moment.
pub async fn levels(conn: &mut Conn, now_ms: i64) -> DbResult<Levels> {
    let unknown = of(fetch_optional!(&mut *conn, Level, UNKNOWN)?);
    let held = of(fetch_optional!(&mut *conn, Level, HELD)?);
    let outbox = of(fetch_optional!(&mut *conn, Level, OUTBOX)?);
    let deliveries = of(fetch_optional!(&mut *conn, Level, DELIVERIES, now_ms)?);
    Ok(Levels {
        unknown: unknown.0,
        unknown_since_ms: unknown.1,
        held: held.0,
        outbox: outbox.0,
        outbox_since_ms: outbox.1,
        deliveries: deliveries.0,
        deliveries_since_ms: deliveries.1,
    })
}

fn of(level: Option<Level>) -> (i64, i64) {
    level.map_or((0, 0), |level| (level.many, level.since_ms))
}
