//! Packed records, pages of old rows and sums of past days: what a node does by itself, and what
//! `hub compact` does at once.

mod days;
mod moving;
mod pack;
mod rows;
mod train;

pub use days::{Added, DaysPlace, days, round_of_days};
pub use moving::{Moved, drop_journals, move_records};
pub use pack::{Batch, Place, batch};
pub use rows::{Paged, RowsPlace, round_of_rows, rows};
pub use train::{Trained, train};

use crate::storage::parts::Objects;
use base::faultpoint;
use std::time::{Duration, Instant};
use store::rounds::Rounds;
use store::{Conn, Db, DbResult, TxError};

/// How often a node looks for documents that became old enough.
const EVERY: Duration = Duration::from_secs(60);
/// How often a node looks for records whose journal is dropped or that move: it looks at each
/// that is old enough.
const OLD_EVERY_MS: i64 = 86_400_000;
/// And after it failed.
const OLD_AGAIN_MS: i64 = 3_600_000;
/// Documents of a batch.
pub const BATCH: i64 = 16;
/// Batches of one round: the next round goes on where it ended.
const BATCHES: u32 = 2_000;

/// The loop of a node.
pub async fn poll(app: Objects) {
    let mut rounds = Rounds::every(&app, EVERY);
    let (mut place, mut rows_place) = (Place::default(), RowsPlace::default());
    let mut days_place = DaysPlace::default();
    let mut due_ms = 0;
    loop {
        rounds.next().await;
        if let Err(error) = round(&app, &mut place).await {
            tracing::error!(error = %format!("{error:#}"), "settled documents cannot be packed");
            place = Place::default();
        }
        if let Err(error) = round_of_rows(&app, &mut rows_place).await {
            tracing::error!(error = %format!("{error:#}"), "old rows cannot be packed");
        }
        if let Err(error) = round_of_days(&app, &mut days_place).await {
            tracing::error!(error = %format!("{error:#}"), "past days cannot be added up");
        }
        let now_ms = app.now_ms();
        // A clock that was set back is not waited for.
        if now_ms >= due_ms || due_ms - now_ms > OLD_EVERY_MS {
            let pause_ms = match old(&app).await {
                Ok(()) => OLD_EVERY_MS,
                Err(error) => {
                    tracing::error!(error = %format!("{error:#}"), "old records cannot be moved");
                    OLD_AGAIN_MS
                }
            };
            due_ms = now_ms + pause_ms;
        }
    }
}

/// What takes the place of rows that were read without a transaction.
trait Prepared: Send + Sync + 'static {
    /// Where a test kills the process: before writing, before the commit and after it.
    const POINTS: [&'static str; 3];

    /// False: the rows are others now, and the transaction is to be given up.
    fn replace(&self, conn: &mut Conn) -> impl Future<Output = DbResult<bool>> + Send;
}

/// The rows are others than those that were read.
#[derive(Debug, thiserror::Error)]
#[error("they changed meanwhile")]
struct Changed;

/// Puts something in the place of its rows; false: they changed meanwhile, and nothing is
/// written.
async fn write<P: Prepared>(db: &Db, prepared: P) -> anyhow::Result<bool> {
    let written = db.write(prepared, |prepared, conn| {
        Box::pin(async move {
            faultpoint::hit(P::POINTS[0]);
            if !prepared.replace(conn).await? {
                return Err(TxError::Abort(Changed));
            }
            faultpoint::hit(P::POINTS[1]);
            Ok(())
        })
    });
    let written = written.await;
    faultpoint::hit(P::POINTS[2]);
    match written {
        Ok(()) => Ok(true),
        Err(TxError::Abort(Changed)) => Ok(false),
        Err(TxError::Db(error)) => Err(error.into()),
    }
}

/// Packs what is old enough. Rests after each batch as long as it took: issuing comes first.
///
/// # Errors
/// The database failed.
pub async fn round(app: &Objects, place: &mut Place) -> anyhow::Result<()> {
    let settings = &app.config.packing;
    if let Some(after_ms) = settings.after_ms() {
        for _ in 0..BATCHES {
            let begun = Instant::now();
            let packed = batch(&app.db, place, app.now_ms() - after_ms).await?;
            if packed.is_last {
                break;
            }
            // Another node is at the same documents.
            let rest = if packed.lost > packed.records { 20 } else { 1 };
            tokio::time::sleep(begun.elapsed() * rest).await;
        }
    }
    Ok(())
}

/// Drops journals whose time is over, moves old records.
///
/// # Errors
/// The database or the store of objects failed.
async fn old(app: &Objects) -> anyhow::Result<()> {
    let settings = &app.config.packing;
    let now_ms = app.now_ms();
    if let Some(age_ms) = settings.journal_ms() {
        drop_journals(&app.db, &app.records, now_ms - age_ms).await?;
    }
    if let Some(age_ms) = settings.move_after_ms() {
        move_records(&app.db, &app.records, now_ms - age_ms).await?;
    }
    Ok(())
}
