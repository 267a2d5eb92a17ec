//! What an import would change.

use crate::ImportError;
use crate::check::{Checked, Part, Seen};
use crate::formats::Options;
use crate::progress::{Progress, Stage};
use std::sync::Arc;
use store::tables::catalog;
use store::tables::editions::{self, EditionRow};
use store::{Conn, DbResult};

/// Rows of a page.
const PAGE: i64 = 5_000;
/// Keys that are shown.
pub const SHOWN: usize = 10;

/// An edition against the active one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The active edition.
    pub active: Option<EditionRow>,
    pub new: u64,
    pub changed: u64,
    pub gone: u64,
    /// Some keys that changed or are gone.
    pub shown: Vec<Shown>,
}

/// A key whose row changed, or is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub key: String,
    pub gone: bool,
}

impl Changes {
    /// An old row: unchanged, changed, or gone.
    fn meet(&mut self, key: impl FnOnce() -> String, same: Option<bool>) -> bool {
        let gone = match same {
            Some(true) => return true,
            Some(false) => {
                self.changed += 1;
                false
            }
            None => {
                self.gone += 1;
                true
            }
        };
        if self.shown.len() < SHOWN {
            self.shown.push(Shown { key: key(), gone });
        }
        !gone
    }
}

/// Compares each edition with the active one of its kind and state.
///
/// # Errors
/// The database fails; an edition has less than half of the rows of the active
/// one and nobody said that it may.
pub async fn compare(
    conn: &mut Conn,
    checked: &Checked,
    options: &Options,
    progress: &Arc<Progress>,
) -> Result<Vec<Changes>, ImportError> {
    let rows: usize = checked.parts.iter().map(|part| part.seen.rows()).sum();
    progress.begin(Stage::Comparing, rows as u64);
    let mut all = Vec::with_capacity(checked.parts.len());
    for part in &checked.parts {
        let active = editions::active(conn, checked.kind, &part.label.scope).await?;
        let mut changes = Changes::default();
        let met = match &active {
            Some(active) => with(conn, active, part, &mut changes, progress).await?,
            None => 0,
        };
        changes.new = (part.seen.rows() as u64).saturating_sub(met);
        let before = active.as_ref().map_or(0, |active| active.row_count);
        let before = usize::try_from(before).unwrap_or_default();
        if part.seen.rows() * 2 < before && !options.fewer {
            return Err(ImportError::Refused(format!(
                "{} rows, and the active edition has {before}: is the file whole? --fewer imports it",
                part.seen.rows()
            )));
        }
        changes.active = active;
        all.push(changes);
    }
    Ok(all)
}

/// Walks the active edition; how many of its keys the new one has.
async fn with(
    conn: &mut Conn,
    active: &EditionRow,
    part: &Part,
    changes: &mut Changes,
    progress: &Arc<Progress>,
) -> DbResult<u64> {
    let mut met = 0;
    match &part.seen {
        Seen::Codes(codes) => {
            let mut after = String::new();
            loop {
                let page = editions::page_of_rows(conn, active.id, &after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after.clone_from(&last.code);
                progress.add(page.len() as u64);
                for row in page {
                    let same = codes
                        .get(&row.code)
                        .map(|digest| *digest == crate::check::digest(&row.content));
                    met += u64::from(changes.meet(|| row.code, same));
                }
            }
        }
        Seen::Products(gtins) => {
            let mut after = -1;
            loop {
                let page = catalog::page_of_gtins(conn, active.id, after, PAGE).await?;
                let Some(last) = page.last() else { break };
                after = last.gtin;
                progress.add(page.len() as u64);
                for row in page {
                    let place = gtins.binary_search_by_key(&row.gtin, |new| new.gtin).ok();
                    let new = place.and_then(|place| gtins.get(place));
                    let same = new.map(|new| new.digest == row.digest);
                    met += u64::from(changes.meet(|| format!("{:014}", row.gtin), same));
                }
            }
        }
    }
    Ok(met)
}
