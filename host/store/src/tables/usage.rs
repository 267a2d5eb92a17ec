//! Tables `usage_calls` and `usage_credits`: what an account used, added up by day (UTC),
//! operation, key and company in the transaction of each call and each transfer. A report
//! reads a row for each of these instead of all calls. `hub doctor` counts them again
//! (`checks`): by day, operation and key, as what a call was about may be gone since.

use crate::ids::{AccountId, KeyId, RequestId, TransferId};
use crate::words::Maybe;
use crate::{Conn, DbResult, execute, fetch_all, row};
use serde_json::json;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

row! {
    /// What a group used in a period.
    #[derive(Clone, Debug, Default)]
    pub struct UsedRow {
        /// The day's number since 1970, the operation, the key or the company; empty: none.
        pub grupo: String,
        pub chamadas: i64,
        pub debitado: i64,
        /// Holds that came back.
        pub devolvido: i64,
        /// Credits of purchases that were taken out for a refund.
        pub reembolsado: i64,
    }
}

/// By what usage is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Day,
    Operation,
    Key,
    Emitter,
}

// What a call was about: a note, an event, a received note or the emitter itself. The rows
// come in the order of the key, so that two nodes do not wait for each other crosswise.
const COUNT_SQLITE: &str = "INSERT INTO usage_calls (account_id, day, operation, key_id, emitter_id, calls) \
     SELECT q.account_id, q.created_at_ms / 86400000, q.operation, q.key_id, COALESCE(n.emitter_id, e.emitter_id, r.emitter_id, m.id, ''), COUNT(*) \
     FROM json_each($1) x CROSS JOIN requests q ON q.id = x.value \
     LEFT JOIN notas n ON n.id = q.subject_id AND n.account_id || '' = q.account_id \
     LEFT JOIN eventos e ON e.id = q.subject_id AND e.account_id || '' = q.account_id \
     LEFT JOIN recebidas r ON r.id = q.subject_id AND r.account_id || '' = q.account_id \
     LEFT JOIN emitters m ON m.id = q.subject_id AND m.account_id || '' = q.account_id \
     WHERE 1 = 1 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5 \
     ON CONFLICT (account_id, day, operation, key_id, emitter_id) DO UPDATE SET calls = usage_calls.calls + excluded.calls";
const COUNT_POSTGRES: &str = "INSERT INTO usage_calls (account_id, day, operation, key_id, emitter_id, calls) \
     SELECT q.account_id, q.created_at_ms / 86400000, q.operation, q.key_id, COALESCE(n.emitter_id, e.emitter_id, r.emitter_id, m.id, ''), COUNT(*) \
     FROM requests q \
     LEFT JOIN notas n ON n.id = q.subject_id AND n.account_id || '' = q.account_id \
     LEFT JOIN eventos e ON e.id = q.subject_id AND e.account_id || '' = q.account_id \
     LEFT JOIN recebidas r ON r.id = q.subject_id AND r.account_id || '' = q.account_id \
     LEFT JOIN emitters m ON m.id = q.subject_id AND m.account_id || '' = q.account_id \
     WHERE q.id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS jsonb)))) GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5 \
     ON CONFLICT (account_id, day, operation, key_id, emitter_id) DO UPDATE SET calls = usage_calls.calls + excluded.calls";
// What `ADD` does, for many transfers. An end has operation, key and subject of its hold.
const COUNT_CREDITS_SQLITE: &str = "INSERT INTO usage_credits (account_id, day, operation, key_id, emitter_id, debited, returned, refunded) \
     SELECT t.account_id, t.created_at_ms / 86400000, COALESCE(h.operation, t.operation), COALESCE(h.key_id, t.key_id), COALESCE(n.emitter_id, e.emitter_id, ''), \
     SUM(CASE WHEN t.kind IN ('post', 'direct') THEN t.amount ELSE 0 END), SUM(CASE WHEN t.kind = 'void' THEN t.amount ELSE 0 END), \
     SUM(CASE WHEN t.kind = 'refund' THEN t.amount ELSE 0 END) \
     FROM json_each($1) x CROSS JOIN transfers t ON t.id = x.value \
     LEFT JOIN transfers h ON h.id = t.pending_id \
     LEFT JOIN notas n ON n.id = COALESCE(h.subject_id, t.subject_id) AND n.account_id || '' = t.account_id \
     LEFT JOIN eventos e ON e.id = COALESCE(h.subject_id, t.subject_id) AND e.account_id || '' = t.account_id \
     WHERE t.kind IN ('post', 'direct', 'void', 'refund') GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5 \
     ON CONFLICT (account_id, day, operation, key_id, emitter_id) DO UPDATE SET debited = usage_credits.debited + excluded.debited, \
     returned = usage_credits.returned + excluded.returned, refunded = usage_credits.refunded + excluded.refunded";
const COUNT_CREDITS_POSTGRES: &str = "INSERT INTO usage_credits (account_id, day, operation, key_id, emitter_id, debited, returned, refunded) \
     SELECT t.account_id, t.created_at_ms / 86400000, COALESCE(h.operation, t.operation), COALESCE(h.key_id, t.key_id), COALESCE(n.emitter_id, e.emitter_id, ''), \
     SUM(CASE WHEN t.kind IN ('post', 'direct') THEN t.amount ELSE 0 END), SUM(CASE WHEN t.kind = 'void' THEN t.amount ELSE 0 END), \
     SUM(CASE WHEN t.kind = 'refund' THEN t.amount ELSE 0 END) \
     FROM transfers t \
     LEFT JOIN transfers h ON h.id = t.pending_id \
     LEFT JOIN notas n ON n.id = COALESCE(h.subject_id, t.subject_id) AND n.account_id || '' = t.account_id \
     LEFT JOIN eventos e ON e.id = COALESCE(h.subject_id, t.subject_id) AND e.account_id || '' = t.account_id \
     WHERE t.id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS jsonb)))) AND t.kind IN ('post', 'direct', 'void', 'refund') \
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5 \
     ON CONFLICT (account_id, day, operation, key_id, emitter_id) DO UPDATE SET debited = usage_credits.debited + excluded.debited, \
     returned = usage_credits.returned + excluded.returned, refunded = usage_credits.refunded + excluded.refunded";
const ADD: &str = "INSERT INTO usage_credits (account_id, day, operation, key_id, emitter_id, debited, returned, refunded) \
     VALUES ($1, $2, $3, $4, COALESCE((SELECT n.emitter_id FROM notas n WHERE n.id = $5 AND n.account_id || '' = $1), \
     (SELECT e.emitter_id FROM eventos e WHERE e.id = $5 AND e.account_id || '' = $1), ''), $6, $7, $8) \
     ON CONFLICT (account_id, day, operation, key_id, emitter_id) DO UPDATE SET debited = usage_credits.debited + excluded.debited, \
     returned = usage_credits.returned + excluded.returned, refunded = usage_credits.refunded + excluded.refunded";
const BY_DAY: &str = "SELECT CAST(x.day AS TEXT) AS grupo, CAST(SUM(x.calls) AS BIGINT) AS chamadas, CAST(SUM(x.debited) AS BIGINT) AS debitado, \
     CAST(SUM(x.returned) AS BIGINT) AS devolvido, CAST(SUM(x.refunded) AS BIGINT) AS reembolsado FROM ( \
     SELECT c.day, c.calls, 0 AS debited, 0 AS returned, 0 AS refunded FROM usage_calls c WHERE c.account_id = $1 AND c.day >= $2 AND c.day < $3 \
     UNION ALL SELECT d.day, 0, d.debited, d.returned, d.refunded FROM usage_credits d WHERE d.account_id = $1 AND d.day >= $2 AND d.day < $3) AS x \
     GROUP BY x.day ORDER BY x.day LIMIT 500";
const BY_OPERATION: &str = "SELECT x.operation AS grupo, CAST(SUM(x.calls) AS BIGINT) AS chamadas, CAST(SUM(x.debited) AS BIGINT) AS debitado, \
     CAST(SUM(x.returned) AS BIGINT) AS devolvido, CAST(SUM(x.refunded) AS BIGINT) AS reembolsado FROM ( \
     SELECT c.operation, c.calls, 0 AS debited, 0 AS returned, 0 AS refunded FROM usage_calls c WHERE c.account_id = $1 AND c.day >= $2 AND c.day < $3 \
     UNION ALL SELECT d.operation, 0, d.debited, d.returned, d.refunded FROM usage_credits d WHERE d.account_id = $1 AND d.day >= $2 AND d.day < $3) AS x \
     GROUP BY x.operation ORDER BY x.operation LIMIT 500";
const BY_KEY: &str = "SELECT x.key_id AS grupo, CAST(SUM(x.calls) AS BIGINT) AS chamadas, CAST(SUM(x.debited) AS BIGINT) AS debitado, \
     CAST(SUM(x.returned) AS BIGINT) AS devolvido, CAST(SUM(x.refunded) AS BIGINT) AS reembolsado FROM ( \
     SELECT c.key_id, c.calls, 0 AS debited, 0 AS returned, 0 AS refunded FROM usage_calls c WHERE c.account_id = $1 AND c.day >= $2 AND c.day < $3 \
     UNION ALL SELECT d.key_id, 0, d.debited, d.returned, d.refunded FROM usage_credits d WHERE d.account_id = $1 AND d.day >= $2 AND d.day < $3) AS x \
     GROUP BY x.key_id ORDER BY x.key_id LIMIT 500";
const BY_EMITTER: &str = "SELECT x.emitter_id AS grupo, CAST(SUM(x.calls) AS BIGINT) AS chamadas, CAST(SUM(x.debited) AS BIGINT) AS debitado, \
     CAST(SUM(x.returned) AS BIGINT) AS devolvido, CAST(SUM(x.refunded) AS BIGINT) AS reembolsado FROM ( \
     SELECT c.emitter_id, c.calls, 0 AS debited, 0 AS returned, 0 AS refunded FROM usage_calls c WHERE c.account_id = $1 AND c.day >= $2 AND c.day < $3 \
     UNION ALL SELECT d.emitter_id, 0, d.debited, d.returned, d.refunded FROM usage_credits d WHERE d.account_id = $1 AND d.day >= $2 AND d.day < $3) AS x \
     GROUP BY x.emitter_id ORDER BY x.emitter_id LIMIT 500";

/// Counts calls that were written just now, in the same transaction: one statement for all
/// of a group, one row for each day, operation, key and company among them.
pub async fn count(conn: &mut Conn, calls: &[&RequestId]) -> DbResult<()> {
    if calls.is_empty() {
        return Ok(());
    }
    let calls: Vec<&str> = calls.iter().map(|id| id.as_str()).collect();
    let calls = json!(calls).to_string();
    let sql = match conn {
        Conn::Sqlite(_) => COUNT_SQLITE,
        Conn::Postgres(_) => COUNT_POSTGRES,
    };
    execute!(conn, sql, &calls)?;
    Ok(())
}

/// Counts the credits of transfers that were written past the ledger just now, in the same
/// transaction (`copy::sums`).
pub(crate) async fn count_credits(conn: &mut Conn, transfers: &[&TransferId]) -> DbResult<()> {
    if transfers.is_empty() {
        return Ok(());
    }
    let transfers: Vec<&str> = transfers.iter().map(|id| id.as_str()).collect();
    let transfers = json!(transfers).to_string();
    let sql = match conn {
        Conn::Sqlite(_) => COUNT_CREDITS_SQLITE,
        Conn::Postgres(_) => COUNT_CREDITS_POSTGRES,
    };
    execute!(conn, sql, &transfers)?;
    Ok(())
}

/// Credits that moved, in one direction or another.
pub(super) struct Moved<'t> {
    pub account_id: &'t AccountId,
    pub operation: &'t str,
    pub key_id: &'t Maybe<KeyId>,
    /// The note or event.
    pub subject_id: &'t str,
    pub at_ms: i64,
    pub debited: i64,
    pub returned: i64,
    pub refunded: i64,
}

/// Adds credits whose transfer was written just now, in the same transaction.
pub(super) async fn add(conn: &mut Conn, moved: &Moved<'_>) -> DbResult<()> {
    execute!(
        conn,
        ADD,
        moved.account_id,
        moved.at_ms / DAY_MS,
        moved.operation,
        moved.key_id,
        moved.subject_id,
        moved.debited,
        moved.returned,
        moved.refunded
    )?;
    Ok(())
}

/// What an account used, by a group. `days`: the first, and the first after the period, as
/// numbers since 1970.
pub async fn read(
    conn: &mut Conn,
    account: &AccountId,
    group: Group,
    (from, to): (i64, i64),
) -> DbResult<Vec<UsedRow>> {
    let sql = match group {
        Group::Day => BY_DAY,
        Group::Operation => BY_OPERATION,
        Group::Key => BY_KEY,
        Group::Emitter => BY_EMITTER,
    };
    fetch_all!(conn, UsedRow, sql, account, from, to)
}
