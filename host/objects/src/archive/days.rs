//! Past days of accounts: which are added up, and their sums, one transaction after the other.

use super::{Prepared, write};
use crate::storage::parts::Objects;
use std::time::Instant;
use store::ids::AccountId;
use store::tables::documents::days::{self, Day, Looked, Sums};
use store::{Conn, Db, DbResult};

/// Steps of one round: the next round goes on where it ended.
const STEPS: u32 = 2_000;
/// Days in a row that could not be added up, after which this is the end for now: a transaction
/// that goes on for long holds up all of them, and each is waited for.
const LOST: u32 = 8;
/// Accounts of one step, where there is nothing to count.
const ACCOUNTS: usize = 64;

/// Where adding up stands among the accounts and their days.
#[derive(Clone, Debug, Default)]
pub struct DaysPlace {
    /// All days of all accounts before this one were looked at.
    looked: i64,
    /// The last account that was looked at; empty: none yet.
    account: AccountId,
    /// One of the accounts up to this one has more days to be looked at.
    leaves: bool,
    /// The last day that was to be added up.
    day: Day,
    /// Days in a row up to this one that could not be added up.
    lost: u32,
}

/// What became of some days.
#[derive(Clone, Copy, Debug, Default)]
pub struct Added {
    /// Days that were found, which have to be added up.
    pub found: u64,
    /// Days that were added up.
    pub days: u64,
    /// Days that changed meanwhile, that another process added up, or that a transaction may have
    /// changed that is not over: another time.
    pub lost: u64,
    /// There is no day more, and the place is at the beginning again; or so many days in a row
    /// could not be added up that it is time to end, and the place is behind them.
    pub is_last: bool,
}

impl Added {
    /// Adds another one.
    pub fn add(&mut self, other: &Added) {
        self.found += other.found;
        self.days += other.days;
        self.lost += other.lost;
    }
}

/// Adds up what is to be added up. Rests after each step as long as it took: issuing comes
/// first.
///
/// # Errors
/// The database failed; what was before that is written. The next round goes on behind it.
pub async fn round_of_days(app: &Objects, place: &mut DaysPlace) -> anyhow::Result<()> {
    for _ in 0..STEPS {
        let begun = Instant::now();
        let added = days(&app.db, place, app.now_ms()).await?;
        if added.is_last {
            break;
        }
        tokio::time::sleep(begun.elapsed()).await;
    }
    Ok(())
}

/// The next step: some accounts are looked at for days that ended, or a day is added up.
///
/// # Errors
/// The database failed.
pub async fn days(db: &Db, place: &mut DaysPlace, now_ms: i64) -> anyhow::Result<Added> {
    let until = days::until(now_ms);
    if place.looked < until {
        return look(db, place, until).await;
    }
    let mut conn = db.read().await?;
    let next = days::open(&mut conn, &place.day).await?;
    drop(conn);
    let Some(day) = next else {
        (place.day, place.lost) = (Day::default(), 0);
        return Ok(Added {
            is_last: true,
            ..Added::default()
        });
    };
    place.day = day.clone();
    // A day may have many documents: not on the thread that asks.
    let mut walk = db.walk_on(&AccountId::default()).await?;
    let sums = days::sums(&mut walk, &day).await?;
    drop(walk);
    let is_exact = match sums {
        Some(sums) => write(db, sums).await?,
        None => false,
    };
    place.lost = if is_exact { 0 } else { place.lost + 1 };
    let is_last = place.lost >= LOST;
    if is_last {
        place.lost = 0;
    }
    Ok(Added {
        days: u64::from(is_exact),
        lost: u64::from(!is_exact),
        is_last,
        ..Added::default()
    })
}

/// Looks at the next accounts, up to the first one that has documents to be counted.
async fn look(db: &Db, place: &mut DaysPlace, until: i64) -> anyhow::Result<Added> {
    // Many documents may be counted: not on the thread that asks.
    let mut walk = db.walk_on(&AccountId::default()).await?;
    let mut all: Vec<Looked> = Vec::new();
    while all.len() < ACCOUNTS && !all.last().is_some_and(|looked| looked.is_counted) {
        let Some(behind) = days::behind(&mut walk, &place.account, until).await? else {
            // Accounts with years to look at have their next turn.
            if !place.leaves {
                place.looked = until;
            }
            (place.account, place.leaves) = (AccountId::default(), false);
            break;
        };
        place.account = behind.account_id.clone();
        let looked = days::look(&mut walk, &behind, until).await?;
        place.leaves |= looked.leaves(until);
        all.push(looked);
    }
    drop(walk);
    let found = all.iter().map(Looked::days).sum();
    if !all.is_empty() {
        write(db, Found(all)).await?;
    }
    Ok(Added {
        found,
        ..Added::default()
    })
}

/// What was found in days of some accounts.
struct Found(Vec<Looked>);

impl Prepared for Found {
    const POINTS: [&'static str; 3] = [
        "days, before writing",
        "days, before commit",
        "days, committed",
    ];

    async fn replace(&self, conn: &mut Conn) -> DbResult<bool> {
        for looked in &self.0 {
            looked.write(conn).await?;
        }
        Ok(true)
    }
}

impl Prepared for Sums {
    const POINTS: [&'static str; 3] = [
        "day, before writing",
        "day, before commit",
        "day, committed",
    ];

    async fn replace(&self, conn: &mut Conn) -> DbResult<bool> {
        self.write(conn).await
    }
}
