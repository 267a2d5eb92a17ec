//! The clock of this machine beside that of the database's server. What authorities say
//! of the time is compared where they are asked (`authorities`).

use super::finding::Finding;
use base::when;
use store::{Db, checks};

const CHECK: &str = "clock";
/// Difference that a network and a busy server explain, milliseconds.
const FEW_MS: i64 = 2_000;
/// Difference that takes leases from nodes that live: half of `flow.lease_ms` as the hub
/// comes.
const MUCH_MS: i64 = 7_500;

pub async fn check(db: Option<&Db>) -> Vec<Finding> {
    let Some(db) = db else {
        return Vec::new();
    };
    let said = async {
        let mut conn = db.read().await?;
        let began_ms = when::system_clock()();
        let theirs_ms = checks::clock_ms(&mut conn).await?;
        // It was read somewhere between the two.
        let own_ms = began_ms.midpoint(when::system_clock()());
        store::DbResult::Ok(theirs_ms.map(|theirs_ms| own_ms - theirs_ms))
    };
    vec![match said.await {
        Ok(None) => Finding::ok(CHECK, "the database is a file of this machine: one clock"),
        Ok(Some(ahead_ms)) => beside("the database's server", ahead_ms, FEW_MS, MUCH_MS),
        Err(error) => Finding::warning(
            CHECK,
            format!("the database does not say its time: {error}"),
            "look at the database's own log",
        ),
    }]
}

/// What is to be said of a clock that is so far before another one (milliseconds; below
/// 0: behind it).
pub fn beside(other: &str, ahead_ms: i64, few_ms: i64, much_ms: i64) -> Finding {
    let (tenths, behind) = (ahead_ms.abs() / 100, ahead_ms < 0);
    let word = if behind { "behind" } else { "before" };
    let seen = format!(
        "this machine is {}.{} s {word} {other}",
        tenths / 10,
        tenths % 10
    );
    let advice = "have both machines follow a time server (NTP): notes bear this machine's time, and authorities refuse those of the future";
    match ahead_ms.abs() {
        apart if apart >= much_ms => Finding::error(CHECK, seen, advice),
        apart if apart >= few_ms => Finding::warning(CHECK, seen, advice),
        _ => Finding::ok(CHECK, seen),
    }
}
