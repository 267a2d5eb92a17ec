//! Official tables: files of the layouts in which they are published, made here, are
//! imported into a database.

mod lists;
mod nomenclature;
mod workbooks;

use crate::workbook::Cell;
use datasets::ImportError;
use datasets::formats::Options;
use datasets::import::{self, Order, Outcome};
use datasets::progress::Progress;
use std::path::Path;
use std::sync::Arc;
use store::Db;
use store::tables::editions::{self, DatasetKind};

/// A database of its own.
struct World {
    db: Db,
    folder: tempfile::TempDir,
}

impl World {
    async fn new() -> World {
        let folder = tempfile::tempdir().expect("folder");
        let url = format!("sqlite:{}", folder.path().join("hub.db").display());
        let db = Db::open(&url, 2).await.expect("database");
        World { db, folder }
    }

    async fn import_as(
        &self,
        kind: DatasetKind,
        files: &[(&str, Vec<u8>)],
        options: Options,
        dry_run: bool,
    ) -> Result<Outcome, ImportError> {
        let write = |(name, bytes): &(&str, Vec<u8>)| {
            let path = Path::new(self.folder.path()).join(name);
            std::fs::write(&path, bytes).expect("written");
            path
        };
        let order = Order {
            kind,
            paths: files.iter().map(write).collect(),
            options: Options {
                today: "2026-11-26".to_owned(),
                ..options
            },
            dry_run,
        };
        let clock: base::when::Clock = Arc::new(|| 1_795_600_000_000);
        import::run(&self.db, &clock, &order, &Arc::new(Progress::default())).await
    }

    /// Takes a file that is shorter than what is built in.
    async fn import(
        &self,
        kind: DatasetKind,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<Outcome, ImportError> {
        let options = Options {
            fewer: true,
            ..Options::default()
        };
        self.import_as(kind, &[(name, bytes)], options, false).await
    }

    /// Rows of the active edition: code and columns.
    async fn rows(&self, kind: DatasetKind, scope: &str) -> Vec<(String, Vec<String>)> {
        let mut conn = self.db.read().await.expect("connection");
        let active = editions::active(&mut conn, kind, scope)
            .await
            .expect("read");
        let Some(active) = active else {
            return Vec::new();
        };
        let page = editions::page_of_rows(&mut conn, active.id, "", 100).await;
        let rows = page.expect("rows").into_iter();
        rows.map(|row| {
            (
                row.code,
                serde_json::from_str(&row.content).expect("columns"),
            )
        })
        .collect()
    }
}

fn told(outcome: &Outcome) -> Vec<(u64, &str)> {
    let shown = outcome.report.shown.iter();
    shown.map(|one| (one.line, one.reason.as_str())).collect()
}

fn refused(outcome: Result<Outcome, ImportError>, why: &str) {
    let error = outcome.expect_err(why).to_string();
    assert!(error.contains(why), "{error}");
}

fn columns<'a>(rows: &'a [(String, Vec<String>)], code: &str) -> Vec<&'a str> {
    let row = rows.iter().find(|(known, _)| known == code);
    let (_, columns) = row.unwrap_or_else(|| panic!("no {code} in {rows:?}"));
    columns.iter().map(String::as_str).collect()
}

fn texts<'a>(cells: &[&'a str]) -> Vec<Cell<'a>> {
    let cells = cells.iter();
    cells
        .map(|text| {
            if text.is_empty() {
                Cell::None
            } else {
                Cell::Text(text)
            }
        })
        .collect()
}
