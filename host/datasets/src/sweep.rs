//! Deletes the rows of editions that nobody needs.

use crate::ImportError;
use crate::load::plain;
use store::tables::editions::{self, EditionStatus};
use store::tables::{catalog, companies, streets};
use store::{Db, DbError, TxError};

/// An import that wrote nothing for so long has died: each of its transactions
/// takes less than a second.
pub const SILENT_MS: i64 = 10 * 60_000;
/// Rows of each table that one transaction deletes.
const ROWS: i64 = 2_000;

/// Gives up imports that died and deletes what was retired; how many editions
/// went.
///
/// # Errors
/// The database fails.
pub async fn sweep(db: &Db, now_ms: i64) -> Result<usize, ImportError> {
    let mut conn = db.read().await?;
    let all = editions::all(&mut conn).await?;
    drop(conn);
    let mut gone = 0;
    for edition in all {
        let died =
            edition.status == EditionStatus::Loading && edition.updated_at_ms < now_ms - SILENT_MS;
        if died || edition.status == EditionStatus::Retired {
            delete(db, edition.id, now_ms).await?;
            gone += 1;
        }
    }
    Ok(gone)
}

async fn delete(db: &Db, edition: i64, now_ms: i64) -> Result<(), ImportError> {
    loop {
        let deleted = db.write((edition, now_ms), |(edition, now_ms), conn| {
            Box::pin(async move {
                editions::retire(conn, *edition, *now_ms).await?;
                let mut deleted = editions::delete_rows(conn, *edition, ROWS).await?;
                deleted += catalog::delete(conn, *edition, ROWS).await?;
                deleted += companies::delete(conn, *edition, ROWS).await?;
                deleted += streets::delete(conn, *edition, ROWS).await?;
                if deleted == 0 {
                    editions::forget(conn, *edition).await?;
                }
                Ok::<_, TxError<DbError>>(deleted)
            })
        });
        if deleted.await.map_err(plain)? == 0 {
            return Ok(());
        }
    }
}
