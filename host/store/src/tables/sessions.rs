//! Tables `sessions` and `throttles`: who is logged in, and who tries too
//! often.

use crate::ids::{AccountId, UserId};
use crate::{Conn, DbResult, execute, fetch_optional, fetch_value, row};

row! {
    #[derive(Clone, Debug, Default)]
    pub struct SessionRow {
        /// Digest of the cookie.
        pub digest: String,
        pub user_id: UserId,
        pub account_id: AccountId,
        pub csrf: String,
        /// 1: it looks at the live world, 0: at the test one.
        pub live: i64,
        pub created_at_ms: i64,
        pub seen_at_ms: i64,
    }
}

const INSERT: &str = "INSERT INTO sessions (digest, user_id, account_id, csrf, live, created_at_ms, seen_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $6)";
const GET: &str = "SELECT * FROM sessions WHERE digest = $1";
const SEEN: &str = "UPDATE sessions SET seen_at_ms = $2 WHERE digest = $1";
const LOOK_AT: &str = "UPDATE sessions SET account_id = $2, live = $3 WHERE digest = $1";
const DELETE: &str = "DELETE FROM sessions WHERE digest = $1";
const DELETE_OTHERS: &str = "DELETE FROM sessions WHERE user_id = $1 AND digest <> $2";
const DELETE_IN: &str = "DELETE FROM sessions WHERE user_id = $1 AND account_id = $2";
const DELETE_OLD: &str = "DELETE FROM sessions WHERE seen_at_ms < $1 OR created_at_ms < $2";
// What is further ahead than counting leads is of a clock that was set back since: it begins
// again, as in `rate_limits`.
const TRY: &str = "INSERT INTO throttles (subject, arrival_ms) VALUES ($1, CAST($2 AS BIGINT) + $3) \
     ON CONFLICT (subject) DO UPDATE SET arrival_ms = CASE WHEN throttles.arrival_ms > $2 AND throttles.arrival_ms - $2 <= $4 + $3 + 60000 THEN throttles.arrival_ms ELSE $2 END + $3 \
     WHERE throttles.arrival_ms <= CAST($2 AS BIGINT) + $4 OR throttles.arrival_ms - $2 > $4 + $3 + 60000 RETURNING arrival_ms";
const KNOW: &str = "INSERT INTO throttles (subject, arrival_ms) VALUES ($1, $2) ON CONFLICT (subject) DO UPDATE SET arrival_ms = excluded.arrival_ms";
const KNOWN: &str = "SELECT COUNT(*) FROM throttles WHERE subject = $1 AND arrival_ms > $2";
const FORGIVE: &str = "DELETE FROM throttles WHERE subject = $1";
const DELETE_IDLE: &str = "DELETE FROM throttles WHERE arrival_ms < $1";

pub async fn insert(conn: &mut Conn, s: &SessionRow) -> DbResult<()> {
    execute!(
        conn,
        INSERT,
        &s.digest,
        &s.user_id,
        &s.account_id,
        &s.csrf,
        s.live,
        s.created_at_ms
    )?;
    Ok(())
}

pub async fn get(conn: &mut Conn, digest: &str) -> DbResult<Option<SessionRow>> {
    fetch_optional!(conn, SessionRow, GET, digest)
}

pub async fn seen(conn: &mut Conn, digest: &str, now_ms: i64) -> DbResult<()> {
    execute!(conn, SEEN, digest, now_ms)?;
    Ok(())
}

/// Turns it to an account, and to the live or the test world.
pub async fn look_at(
    conn: &mut Conn,
    digest: &str,
    account: &AccountId,
    live: i64,
) -> DbResult<()> {
    execute!(conn, LOOK_AT, digest, account, live)?;
    Ok(())
}

pub async fn delete(conn: &mut Conn, digest: &str) -> DbResult<()> {
    execute!(conn, DELETE, digest)?;
    Ok(())
}

/// Ends all sessions of a person but one (none when it is empty).
pub async fn delete_others(conn: &mut Conn, user: &UserId, but: &str) -> DbResult<()> {
    execute!(conn, DELETE_OTHERS, user, but)?;
    Ok(())
}

/// Ends a person's sessions in an account.
pub async fn delete_in(conn: &mut Conn, user: &UserId, account: &AccountId) -> DbResult<()> {
    execute!(conn, DELETE_IN, user, account)?;
    Ok(())
}

/// Ends sessions that were not used for too long, or are as old as a session
/// may be.
pub async fn delete_old(conn: &mut Conn, seen_ms: i64, created_ms: i64) -> DbResult<()> {
    execute!(conn, DELETE_OLD, seen_ms, created_ms)?;
    Ok(())
}

/// One more attempt, `each_ms` apart with `burst_ms` saved up; false when it
/// is too early.
pub async fn attempt(
    conn: &mut Conn,
    subject: &str,
    now_ms: i64,
    each_ms: i64,
    burst_ms: i64,
) -> DbResult<bool> {
    let arrival = fetch_value!(conn, i64, TRY, subject, now_ms, each_ms, burst_ms)?;
    Ok(arrival.is_some())
}

/// Forgets the attempts of a subject, because it has succeeded.
pub async fn forgive(conn: &mut Conn, subject: &str) -> DbResult<()> {
    execute!(conn, FORGIVE, subject)?;
    Ok(())
}

/// Remembers a subject until a moment.
pub async fn know(conn: &mut Conn, subject: &str, until_ms: i64) -> DbResult<()> {
    execute!(conn, KNOW, subject, until_ms)?;
    Ok(())
}

/// Whether a subject is still remembered.
pub async fn is_known(conn: &mut Conn, subject: &str, now_ms: i64) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, KNOWN, subject, now_ms)? == Some(1))
}

pub async fn delete_idle_throttles(conn: &mut Conn, before_ms: i64) -> DbResult<()> {
    execute!(conn, DELETE_IDLE, before_ms)?;
    Ok(())
}
