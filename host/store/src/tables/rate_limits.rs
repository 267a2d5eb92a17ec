//! Table `rate_limits`: one row per account, shared by the nodes.

use crate::ids::AccountId;
use crate::{Conn, DbResult, execute, fetch_value};

const SEED: &str =
    "INSERT INTO rate_limits (account_id, arrival_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING";
// The theoretical arrival time moves on by one interval for each request
// that is let in; a request is let in while it is at most the burst ahead. What is further
// ahead than counting leads is of a clock that was set back since: it begins again. A minute
// is for calls that read the clock before others that were counted first, and for nodes
// whose clocks differ.
const PASS: &str = "UPDATE rate_limits SET arrival_ms = CASE WHEN arrival_ms > $2 AND arrival_ms - $2 <= $4 + $3 + 60000 THEN arrival_ms ELSE $2 END + $3 \
     WHERE account_id = $1 AND (arrival_ms - $2 <= $4 OR arrival_ms - $2 > $4 + $3 + 60000) RETURNING arrival_ms";
const GET: &str = "SELECT arrival_ms FROM rate_limits WHERE account_id = $1";

/// Lets a request in and returns the new arrival time; None when the account
/// is too fast.
pub async fn pass(
    conn: &mut Conn,
    account: &AccountId,
    now_ms: i64,
    interval_ms: i64,
    burst_ms: i64,
) -> DbResult<Option<i64>> {
    execute!(conn, SEED, account, now_ms)?;
    fetch_value!(conn, i64, PASS, account, now_ms, interval_ms, burst_ms)
}

pub async fn arrival(conn: &mut Conn, account: &AccountId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, GET, account)?.unwrap_or(0))
}
