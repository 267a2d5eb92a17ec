//! Requests per minute of an account: GCRA, one arrival time per account.
//!
//! In memory on one node; in the database when nodes share one.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Mutex;
use store::ids::AccountId;
use store::{Db, Engine, TxError};

const MINUTE_MS: i64 = 60_000;
/// Accounts remembered in memory before the quiet ones are dropped.
const REMEMBERED: usize = 100_000;

#[derive(Default)]
pub struct Limiter(Mutex<HashMap<AccountId, i64>>);

/// What the limiter says about one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub allowed: bool,
    pub limit: i64,
    /// Requests that could follow at once.
    pub remaining: i64,
    /// Seconds until the whole allowance is back (allowed), or until the next
    /// request passes (refused).
    pub reset_s: i64,
}

impl Limiter {
    /// Counts a request.
    ///
    /// # Errors
    /// The shared state cannot be reached.
    pub async fn check(
        &self,
        db: &Db,
        account: &AccountId,
        per_minute: i64,
        now_ms: i64,
    ) -> Result<Verdict, sqlx::Error> {
        let interval = (MINUTE_MS / per_minute).max(1);
        let burst = interval * (per_minute - 1);
        let passed = match db.engine() {
            Engine::Sqlite => self.in_memory(account, interval, burst, now_ms),
            Engine::Postgres => in_database(db, account, interval, burst, now_ms).await?,
        };
        Ok(match passed {
            Ok(arrival) => {
                let ahead = arrival - now_ms;
                Verdict {
                    allowed: true,
                    limit: per_minute,
                    remaining: ((burst + interval - ahead) / interval).max(0),
                    reset_s: seconds(ahead),
                }
            }
            Err(arrival) => Verdict {
                allowed: false,
                limit: per_minute,
                remaining: 0,
                reset_s: seconds(arrival - now_ms - burst).max(1),
            },
        })
    }

    /// Counts a request of an account on this node alone: its new arrival time, epoch
    /// milliseconds. A request moves that by `interval`, and passes while it is at
    /// most `burst` ahead of now (both milliseconds).
    ///
    /// # Errors
    /// The request does not pass: the arrival time, which stays as it was.
    pub fn in_memory(
        &self,
        account: &AccountId,
        interval: i64,
        burst: i64,
        now_ms: i64,
    ) -> Result<i64, i64> {
        let mut arrivals = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if arrivals.len() >= REMEMBERED {
            arrivals.retain(|_, arrival| *arrival > now_ms);
        }
        let arrival = arrivals.entry(account.to_owned()).or_insert(now_ms);
        // Counting does not lead that far: the clock was set back since. It begins again. The
        // minute is for calls that read the clock before others that were counted first.
        if *arrival - now_ms > burst + interval + MINUTE_MS {
            *arrival = now_ms;
        }
        if *arrival - now_ms > burst {
            return Err(*arrival);
        }
        *arrival = (*arrival).max(now_ms) + interval;
        Ok(*arrival)
    }
}

async fn in_database(
    db: &Db,
    account: &AccountId,
    interval: i64,
    burst: i64,
    now_ms: i64,
) -> Result<Result<i64, i64>, sqlx::Error> {
    let input = (account.to_owned(), interval, burst, now_ms);
    let passed = db.write(input, |(account, interval, burst, now_ms), conn| {
        Box::pin(async move {
            match store::tables::rate_limits::pass(conn, account, *now_ms, *interval, *burst)
                .await?
            {
                Some(arrival) => Ok::<_, TxError<Infallible>>(Ok(arrival)),
                None => Ok(Err(
                    store::tables::rate_limits::arrival(conn, account).await?
                )),
            }
        })
    });
    match passed.await {
        Ok(passed) => Ok(passed),
        Err(TxError::Db(error)) => Err(error),
        Err(TxError::Abort(never)) => match never {},
    }
}

fn seconds(ms: i64) -> i64 {
    (ms.max(0) + 999) / 1_000
}
