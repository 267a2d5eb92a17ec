//! A whole import: both passes, what changed, and the rows nobody needs any more.

pub mod compare;
mod large;

use crate::bases;
use crate::check::{self, Checked};
use crate::files::Files;
use crate::formats::{Label, Options};
use crate::load::Load;
use crate::progress::Progress;
use crate::report::Report;
use crate::{ImportError, sweep};
use base::when::Clock;
use compare::Changes;
use std::path::PathBuf;
use std::sync::Arc;
use store::Db;
use store::tables::editions::DatasetKind;

/// What is imported, and how.
#[derive(Clone, Debug)]
pub struct Order {
    pub kind: DatasetKind,
    pub paths: Vec<PathBuf>,
    pub options: Options,
    /// Reads and compares, and writes nothing.
    pub dry_run: bool,
}

/// What came of an import.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub report: Report,
    pub editions: Vec<Edition>,
    pub ended: Ended,
}

/// An edition of an import, written or not.
#[derive(Clone, Debug)]
pub struct Edition {
    pub label: Label,
    pub rows: usize,
    pub changes: Changes,
}

/// How an import ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The new editions are active.
    Imported,
    /// Nothing was written: it was only to be looked at.
    DryRun,
    /// Nothing was written: these very files are active.
    Unchanged,
    /// Nothing was written: too many lines are wrong.
    Refused,
}

/// Imports files. Editions that died or were replaced go first and last.
///
/// # Errors
/// The files are refused, or the database fails; what was active stays active.
pub async fn run(
    db: &Db,
    clock: &Clock,
    order: &Order,
    progress: &Arc<Progress>,
) -> Result<Outcome, ImportError> {
    if !order.dry_run {
        sweep::sweep(db, clock()).await?;
    }
    if bases::is_base(order.kind) {
        return large::run(db, clock, order, progress).await;
    }
    let (files, checked) = judged(order, progress).await?;
    let mut conn = db.read().await?;
    let changes = match checked.report.too_many() {
        true => vec![Changes::default(); checked.parts.len()],
        false => compare::compare(&mut conn, &checked, &order.options, progress).await?,
    };
    drop(conn);
    let editions: Vec<Edition> = checked
        .parts
        .iter()
        .zip(changes)
        .map(|(part, changes)| Edition {
            label: part.label.clone(),
            rows: part.seen.rows(),
            changes,
        })
        .collect();
    let same = |edition: &Edition| {
        let active = edition.changes.active.as_ref();
        let changes = &edition.changes;
        let rows = changes.new + changes.changed + changes.gone;
        rows == 0 && active.is_some_and(|active| active.sha256 == files.sha256)
    };
    let report = checked.report.clone();
    let ended = if report.too_many() {
        Ended::Refused
    } else if order.dry_run {
        Ended::DryRun
    } else if editions.iter().all(same) {
        Ended::Unchanged
    } else {
        let load = Load {
            db,
            clock,
            files: &files,
            options: &order.options,
            progress,
        };
        load.run(checked).await?;
        sweep::sweep(db, clock()).await?;
        Ended::Imported
    };
    Ok(Outcome {
        report,
        editions,
        ended,
    })
}

/// The first pass, off the threads that serve.
async fn judged(order: &Order, progress: &Arc<Progress>) -> Result<(Files, Checked), ImportError> {
    let (order, progress) = (order.clone(), progress.clone());
    let judged = tokio::task::spawn_blocking(move || {
        let files = Files::open(&order.paths)?;
        let checked = check::check(order.kind, &files, &order.options, &progress)?;
        Ok((files, checked))
    });
    let ended =
        |error: tokio::task::JoinError| ImportError::Refused(format!("reading ended: {error}"));
    judged.await.map_err(ended)?
}
