//! What an import would change.

use crate::ImportError;
use crate::check::{Checked, Part, Seen};
use crate::formats::{Options, official};
use crate::progress::{Progress, Stage};
use std::sync::Arc;
use store::tables::catalog;
use store::tables::editions::{self, CodeRow, DatasetKind, EditionRow};
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
    /// Without an active edition, the day of the table that is built in, if one is.
    pub built_in: Option<String>,
    /// Whether rows were compared; those of a base are not.
    pub compared: bool,
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

/// Compares each edition with the active one of its kind and state, an official table
/// without one with what is built in.
///
/// # Errors
/// The database fails; an edition has less than half of the rows of the active
/// one and nobody said that it may; an official table is older than what answers, or
/// has less than nine tenths of its rows.
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
        let built_in = official::built_in(checked.kind, &part.label.scope);
        let mut changes = Changes {
            compared: true,
            ..Changes::default()
        };
        let met = match (&active, &built_in) {
            (Some(active), _) => with(conn, active, part, &mut changes, progress).await?,
            (None, Some((_, rows))) => with_rows(rows, part, &mut changes),
            (None, None) => 0,
        };
        changes.new = (part.seen.rows() as u64).saturating_sub(met);
        let (floor, rows) = built_in.map_or_else(Default::default, |(date, rows)| {
            (date, i64::try_from(rows.len()).unwrap_or(i64::MAX))
        });
        let before = active.as_ref().map_or(rows, |active| active.row_count);
        whole(checked.kind, part, before, options)?;
        newer(part, active.as_ref(), &floor, checked.kind, options)?;
        changes.built_in = Some(floor).filter(|floor| active.is_none() && !floor.is_empty());
        changes.active = active;
        all.push(changes);
    }
    Ok(all)
}

/// Refuses an edition that is much shorter than what answers.
fn whole(
    kind: DatasetKind,
    part: &Part,
    before: i64,
    options: &Options,
) -> Result<(), ImportError> {
    let before = usize::try_from(before).unwrap_or_default();
    let rows = part.seen.rows();
    // Official tables are whole, and lose few rows from one edition to the next.
    let short = match official::is_official(kind) {
        true => rows * 10 < before * 9,
        false => rows * 2 < before,
    };
    if short && !options.fewer {
        return Err(fewer(rows as u64, before as u64));
    }
    Ok(())
}

/// Refuses an official table that is older than what answers.
fn newer(
    part: &Part,
    active: Option<&EditionRow>,
    floor: &str,
    kind: DatasetKind,
    options: &Options,
) -> Result<(), ImportError> {
    if !official::is_official(kind) {
        return Ok(());
    }
    let version = part.label.version.as_str();
    if version < floor {
        return Err(ImportError::Refused(format!(
            "the file is of {version}, and the table that is built in of {floor}: that one would go on answering"
        )));
    }
    match active {
        Some(active) if version < active.version.as_str() && !options.older => {
            Err(ImportError::Refused(format!(
                "the file is of {version}, and the active edition of {}; --older imports it",
                active.version
            )))
        }
        _ => Ok(()),
    }
}

/// Meets the rows that are built in; how many of their keys the new edition has.
fn with_rows(rows: &[CodeRow], part: &Part, changes: &mut Changes) -> u64 {
    let Seen::Codes(codes) = &part.seen else {
        return 0;
    };
    let met = rows.iter().filter(|row| {
        let same = codes
            .get(&row.code)
            .map(|digest| *digest == crate::check::digest(&row.content));
        changes.meet(|| row.code.clone(), same)
    });
    met.count() as u64
}

/// The refusal of an edition that has much fewer rows than the active one.
pub(super) fn fewer(rows: u64, before: u64) -> ImportError {
    ImportError::Refused(format!(
        "{rows} rows, and the active edition has {before}: is the file whole? --fewer imports it"
    ))
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
