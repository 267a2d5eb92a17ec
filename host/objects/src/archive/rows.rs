//! Old calls and uses of keys into pages, one page in a transaction.

use super::{Prepared, write};
use crate::storage::parts::Objects;
use base::faultpoint;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use store::ids::AccountId;
use store::tables::pages::{OldRows, Pack, Unreadable};
use store::tables::{adapter_uses, requests};
use store::{Conn, Db, DbResult, is_of_content};

/// Rows get old by days: so often does a node look whether there is another page.
const EVERY_MS: i64 = 3_600_000;
/// Pages of one round: the next round goes on where it ended.
const PAGES: u32 = 2_000;
/// Accounts that are looked at before others have their turn.
const ACCOUNTS: u32 = 64;
/// Accounts of which it is kept where rows end that cannot be read. Those of more accounts are
/// read and told again by the next round.
const PAST: usize = 1_000;

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
    /// By account (empty: of uses), the last id of rows among which some cannot be read: no page
    /// says that they were looked at. They are told once, and do not hold up those behind them.
    past: BTreeMap<AccountId, String>,
}

impl RowsPlace {
    /// Whose rows are read, as in `past`.
    fn whose(&self) -> AccountId {
        if self.is_at_uses {
            AccountId::default()
        } else {
            self.account.clone()
        }
    }

    /// The id behind which rows are read.
    fn begin(&self) -> String {
        let past = self.past.get(&self.whose());
        past.cloned().unwrap_or_default()
    }

    /// Goes on behind rows among which some cannot be read.
    fn pass(&mut self, last: String) {
        let whose = self.whose();
        if self.past.len() >= PAST && !self.past.contains_key(&whose) {
            self.past.clear();
        }
        self.past.insert(whose, last);
    }

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

    /// Counts and logs rows that cannot be read.
    fn not_read(&mut self, rows: &[Unreadable]) {
        for row in rows {
            self.failed += 1;
            tracing::error!(
                id = row.id,
                error = row.why,
                "an old row cannot be read and stays a row"
            );
        }
    }

    /// Rows for a page; none where what is in them is why there is none: others have their turn.
    fn passing(
        &mut self,
        whose: &str,
        rows: DbResult<Option<OldRows>>,
    ) -> DbResult<Option<OldRows>> {
        match rows {
            Err(error) if is_of_content(&error) => {
                self.failed += 1;
                tracing::error!(whose, %error, "old rows cannot be packed");
                Ok(None)
            }
            rows => rows,
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
    let Some(old) = next(db, place, before_ms, &mut done).await? else {
        done.is_last = !place.is_within && place.account.is_empty() && !place.is_at_uses;
        return Ok(done);
    };
    if let Some(pack) = old.pack {
        faultpoint::hit("page, read");
        let (rows, bytes) = (pack.rows(), pack.bytes());
        if !write(db, pack).await? {
            done.lost = 1;
            return Ok(done);
        }
        (done.rows, done.pages, done.bytes) = (rows, 1, bytes);
    }
    if !old.unreadable.is_empty() {
        done.not_read(&old.unreadable);
        place.pass(old.last);
    }
    Ok(done)
}

/// The next rows for a page; None: not among these accounts, or the place is at the beginning
/// again. What is passed over is counted.
async fn next(
    db: &Db,
    place: &mut RowsPlace,
    before_ms: i64,
    done: &mut Paged,
) -> anyhow::Result<Option<OldRows>> {
    let mut conn = db.read().await?;
    for _ in 0..ACCOUNTS {
        if place.is_at_uses {
            let old = adapter_uses::oldest(&mut conn, &place.begin(), before_ms).await;
            let old = done.passing("uses of keys", old)?;
            place.is_at_uses = old.is_some();
            return Ok(old);
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
        let (account, past) = (&place.account, place.begin());
        let old = requests::oldest(&mut conn, account, &past, before_ms).await;
        let old = done.passing(account, old)?;
        place.is_within = old.is_some();
        if old.is_some() {
            return Ok(old);
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
