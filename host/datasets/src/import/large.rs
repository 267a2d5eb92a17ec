//! An import of a base: both passes, without keeping its keys.

use super::compare::Changes;
use super::{Edition, Ended, Order, Outcome};
use crate::bases::write::{AHEAD, Writer, write};
use crate::bases::{self, At, Found, Row, Take};
use crate::files::Files;
use crate::formats::{Label, Options};
use crate::load;
use crate::progress::{Progress, Stage};
use crate::{ImportError, sweep};
use base::faultpoint;
use base::when::Clock;
use std::sync::Arc;
use store::Db;
use store::tables::editions::{self, DatasetKind, EditionRow, EditionStatus};
use tokio::sync::mpsc;

/// The first pass: rows are only counted.
struct Count;

impl Take for Count {
    fn take(&mut self, _: At, _: Row) -> Result<(), ImportError> {
        Ok(())
    }

    fn settle(&mut self) -> Result<(), ImportError> {
        Ok(())
    }
}

/// As [`super::run`].
///
/// # Errors
/// As [`super::run`].
pub(super) async fn run(
    db: &Db,
    clock: &Clock,
    order: &Order,
    progress: &Arc<Progress>,
) -> Result<Outcome, ImportError> {
    let (files, found) = judged(order, progress).await?;
    let mut conn = db.read().await?;
    let active = editions::active(&mut conn, order.kind, "").await?;
    drop(conn);
    let before = active.as_ref().map_or(0, |active| active.row_count);
    let before = u64::try_from(before).unwrap_or_default();
    if !found.report.too_many() {
        if found.rows == 0 {
            return Err(found.report.no_rows());
        }
        if found.rows * 2 < before && !order.options.fewer {
            return Err(super::compare::fewer(found.rows, before));
        }
    }
    let same = active.as_ref().is_some_and(|active| {
        active.sha256 == files.sha256
            && active.version == version(order.kind, &found, &order.options)
    });
    let mut outcome = Outcome {
        report: found.report.clone(),
        editions: vec![Edition {
            label: Label {
                scope: String::new(),
                version: version(order.kind, &found, &order.options),
                valid_until: String::new(),
            },
            rows: usize::try_from(found.rows).unwrap_or(usize::MAX),
            changes: Changes {
                active,
                new: found.rows,
                ..Changes::default()
            },
        }],
        ended: Ended::DryRun,
    };
    if found.report.too_many() {
        outcome.ended = Ended::Refused;
    } else if same {
        outcome.ended = Ended::Unchanged;
    } else if !order.dry_run {
        make_room(db, clock, order.kind).await?;
        let base = Base {
            db,
            clock,
            order,
            files: &files,
            progress,
        };
        base.load(&found, &mut outcome).await?;
        sweep::sweep(db, clock()).await?;
    }
    Ok(outcome)
}

/// The first pass, off the threads that serve.
async fn judged(order: &Order, progress: &Arc<Progress>) -> Result<(Files, Found), ImportError> {
    let (order, progress) = (order.clone(), progress.clone());
    let judged = tokio::task::spawn_blocking(move || {
        let files = Files::open(&bases::paths(order.kind, &order.paths)?)?;
        progress.begin(Stage::Checking, files.bytes);
        let found = bases::read(order.kind, &files, &order.options, &progress, &mut Count)?;
        Ok((files, found))
    });
    judged.await.map_err(ended)?
}

fn ended(error: tokio::task::JoinError) -> ImportError {
    ImportError::Refused(format!("reading ended: {error}"))
}

/// What the edition is called: what it leaves out is part of its name.
fn version(kind: DatasetKind, found: &Found, options: &Options) -> String {
    let mut kept = Vec::new();
    if kind == DatasetKind::Cnpj {
        kept.extend(options.uf.as_ref().map(|ufs| ufs.trim().to_uppercase()));
        kept.extend(options.only_active.then(|| "só ativas".to_owned()));
    }
    if kept.is_empty() {
        return found.version.clone();
    }
    format!("{} ({})", found.version, kept.join("; "))
}

/// The edition before the active one goes first: there are never three of tens of
/// gigabytes.
async fn make_room(db: &Db, clock: &Clock, kind: DatasetKind) -> Result<(), ImportError> {
    let mut conn = db.read().await?;
    let all = editions::all(&mut conn).await?;
    drop(conn);
    let previous = all
        .iter()
        .filter(|edition| edition.kind == kind && edition.status == EditionStatus::Previous);
    let ids: Vec<i64> = previous.map(|edition| edition.id).collect();
    load::retire(db, ids, clock()).await?;
    sweep::sweep(db, clock()).await?;
    Ok(())
}

/// An import that writes.
struct Base<'a> {
    db: &'a Db,
    clock: &'a Clock,
    order: &'a Order,
    files: &'a Files,
    progress: &'a Arc<Progress>,
}

impl Base<'_> {
    /// Writes the edition and makes it the active one, unless too many of its rows
    /// repeat others. If it fails, the edition of before stays active.
    async fn load(&self, found: &Found, outcome: &mut Outcome) -> Result<(), ImportError> {
        let now_ms = (self.clock)();
        let label = outcome
            .editions
            .first()
            .map(|edition| edition.label.clone());
        let row = EditionRow {
            id: 0,
            kind: self.order.kind,
            scope: String::new(),
            status: EditionStatus::Loading,
            version: label.unwrap_or_default().version,
            source: self.files.names(),
            sha256: self.files.sha256.clone(),
            row_count: i64::try_from(found.rows).unwrap_or(i64::MAX),
            valid_until: String::new(),
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
        };
        let begun = load::begin(self.db, vec![row]).await?;
        let loaded = self.write(&begun, found, outcome).await;
        if !matches!(loaded, Ok(())) || outcome.ended == Ended::Refused {
            let ids = begun.iter().map(|edition| edition.id).collect();
            if let Err(error) = load::retire(self.db, ids, (self.clock)()).await {
                tracing::warn!(%error, "rows of an import that failed stay until the next one");
            }
        }
        loaded
    }

    async fn write(
        &self,
        begun: &[EditionRow],
        found: &Found,
        outcome: &mut Outcome,
    ) -> Result<(), ImportError> {
        let Some(edition) = begun.first() else {
            return Ok(());
        };
        self.progress.begin(Stage::Writing, self.files.bytes);
        let (sender, mut batches) = mpsc::channel(AHEAD);
        let reading = {
            let (files, options) = (self.files.clone(), self.order.options.clone());
            let (kind, progress) = (self.order.kind, self.progress.clone());
            // Its end, and that of the batches, is the end of reading.
            let mut writer = Writer::new(sender);
            tokio::task::spawn_blocking(move || {
                bases::read(kind, &files, &options, &progress, &mut writer)
            })
        };
        let written = write(self.db, self.clock, edition.id, &mut batches).await;
        // Whoever reads stops when nobody takes batches any more.
        drop(batches);
        let read = reading.await.map_err(ended)?;
        let written = written?;
        let again = read?;
        if (again.report.lines, again.rows) != (found.report.lines, found.rows) {
            let why = "a file changed while it was read";
            return Err(ImportError::Refused(why.to_owned()));
        }
        for (at, key) in &written.shown {
            let file = again.names.get(at.file as usize);
            let file = file.map_or("", String::as_str);
            let why = format!("{key} is there already; the first one counts");
            outcome.report.problem(file, at.line, why);
        }
        outcome.report.wrong += written.repeated - written.shown.len() as u64;
        outcome.report.skipped += written.left_out;
        for edition in &mut outcome.editions {
            edition.rows = usize::try_from(written.rows).unwrap_or(usize::MAX);
            edition.changes.new = written.rows;
        }
        if outcome.report.too_many() {
            outcome.ended = Ended::Refused;
            return Ok(());
        }
        load::unchanged(self.files).await?;
        faultpoint::hit("datasets.switch");
        let row_count = i64::try_from(written.rows).unwrap_or(i64::MAX);
        let edition = EditionRow {
            row_count,
            ..edition.clone()
        };
        load::switch(self.db, &[edition], (self.clock)()).await?;
        outcome.ended = Ended::Imported;
        Ok(())
    }
}
