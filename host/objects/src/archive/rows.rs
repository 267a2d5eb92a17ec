//! Old calls and uses of keys into pages, one page in a transaction.

use super::{Prepared, write};
use crate::storage::parts::Objects;
use base::faultpoint;
use std::time::{Duration, Instant};
use store::ids::AccountId;
use store::tables::pages::Pack;
use store::tables::{adapter_uses, requests};
use store::{Conn, Db, DbResult, is_of_content};

/// Rows get old by days: so often does a node look whether there is another page.
const EVERY_MS: i64 = 3_600_000;
/// Pages of one round: the next round goes on where it ended.
const PAGES: u32 = 2_000;
/// Accounts that are looked at before others have their turn.
const ACCOUNTS: u32 = 64;

/// Where packing stands among the rows.
#[derive(Clone, Debug, Default)]
pub struct RowsPlace {
    /// Whose calls are packed; empty: nobody's yet.
    account: AccountId,
    /// There is a page more of this account, or the last one was not written.
    is_within: bool,
    /// Uses of keys come last.
    is_at_uses: bool,
    /// Nothing is looked for before.
    due_ms: i64,
}

impl RowsPlace {
    /// Goes on behind what cannot be packed now: it must not hold up the others.
    fn skip(&mut self, due_ms: i64) {
        self.is_within = false;
        if self.is_at_uses {
            self.is_at_uses = false;
            self.due_ms = due_ms;
        }
    }
}

/// What became of some rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paged {
    pub rows: u64,
    pub pages: u64,
    /// Bytes of the pages.
    pub bytes: u64,
    /// Pages whose rows another process packed meanwhile: another time.
    pub lost: u64,
    /// Rows that cannot be read and stay rows, and accounts without a page because of what is
    /// in their rows. Which they are is logged.
    pub failed: u64,
    /// There is no page more; the place is at the beginning again.
    pub is_last: bool,
}

impl Paged {
    /// Adds another one.
    pub fn add(&mut self, other: &Paged) {
        self.rows += other.rows;
        self.pages += other.pages;
        self.bytes += other.bytes;
        self.lost += other.lost;
        self.failed += other.failed;
    }

    /// A page; none where what is in the rows is why there is none: others have their turn.
    fn passing(&mut self, whose: &str, page: DbResult<Option<Pack>>) -> DbResult<Option<Pack>> {
        match page {
            Err(error) if is_of_content(&error) => {
                self.failed += 1;
                tracing::error!(whose, %error, "old rows cannot be packed");
                Ok(None)
            }
            page => page,
        }
    }
}

/// Packs what is old enough. Rests after each page as long as it took: issuing comes first.
///
/// # Errors
/// The database failed; pages before that are written.
pub async fn round_of_rows(app: &Objects, place: &mut RowsPlace) -> anyhow::Result<()> {
    let Some(after_ms) = app.config.packing.rows_after_ms() else {
        return Ok(());
    };
    let now_ms = app.now_ms();
    if now_ms < place.due_ms {
        return Ok(());
    }
    for _ in 0..PAGES {
        let begun = Instant::now();
        let paged = rows(&app.db, place, now_ms - after_ms).await;
        let paged = paged.inspect_err(|_| place.skip(now_ms + EVERY_MS))?;
        if paged.is_last {
            place.due_ms = now_ms + EVERY_MS;
            break;
        }
        tokio::time::sleep(rest(&paged, begun.elapsed())).await;
    }
    Ok(())
}

/// How long others have their turn after something that took so long.
fn rest(paged: &Paged, took: Duration) -> Duration {
    // Another node is at the same rows.
    took * if paged.lost > 0 { 20 } else { 1 }
}

/// Packs the next page of rows from before `before_ms`.
///
/// # Errors
/// The database failed.
pub async fn rows(db: &Db, place: &mut RowsPlace, before_ms: i64) -> anyhow::Result<Paged> {
    let mut done = Paged::default();
    let Some(pack) = next(db, place, before_ms, &mut done).await? else {
        done.is_last = !place.is_within && place.account.is_empty() && !place.is_at_uses;
        return Ok(done);
    };
    faultpoint::hit("page, read");
    let (rows, bytes, unreadable) = (pack.rows(), pack.bytes(), pack.unreadable().to_vec());
    if write(db, pack).await? {
        (done.rows, done.pages, done.bytes) = (rows, 1, bytes);
        for row in unreadable {
            done.failed += 1;
            tracing::error!(
                id = row.id,
                error = row.why,
                "an old row cannot be read and stays a row"
            );
        }
    } else {
        done.lost = 1;
    }
    Ok(done)
}

/// The next page; None: not among these accounts, or the place is at the beginning again. What
/// is passed over is counted.
async fn next(
    db: &Db,
    place: &mut RowsPlace,
    before_ms: i64,
    done: &mut Paged,
) -> anyhow::Result<Option<Pack>> {
    let mut conn = db.read().await?;
    for _ in 0..ACCOUNTS {
        if place.is_at_uses {
            let pack = adapter_uses::oldest(&mut conn, before_ms).await;
            let pack = done.passing("uses of keys", pack)?;
            place.is_at_uses = pack.is_some();
            return Ok(pack);
        }
        if !place.is_within {
            match requests::next_account(&mut conn, &place.account).await? {
                Some(account) => place.account = account,
                None => {
                    place.account = AccountId::default();
                    place.is_at_uses = true;
                    continue;
                }
            }
        }
        let pack = requests::oldest(&mut conn, &place.account, before_ms).await;
        let pack = done.passing(&place.account, pack)?;
        place.is_within = pack.is_some();
        if pack.is_some() {
            return Ok(pack);
        }
    }
    Ok(None)
}

impl Prepared for Pack {
    const POINTS: [&'static str; 3] = [
        "page, before writing",
        "page, before commit",
        "page, committed",
    ];

    async fn replace(&self, conn: &mut Conn) -> DbResult<bool> {
        self.write(conn).await
    }
}
