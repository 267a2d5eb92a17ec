//! Imported official tables in the place of the embedded ones, in a hub that runs.
//!
//! Tables are the process's: these tests are a program of their own, and take turns.

mod served;
mod taxes;

use datasets::formats::Options;
use datasets::import::{Ended, Outcome};
use datasets::rates::tables::{Change, Follower};
use store::tables::editions::{self, CodeRow, DatasetKind, EditionRow, EditionStatus};
use tests::TestApp;
use tests::imports::import_with;
use tokio::sync::{Mutex, MutexGuard};

static TURN: Mutex<()> = Mutex::const_new(());
/// Tables that a test may have replaced.
const TABLES: [&str; 9] = [
    "anp",
    "bancos",
    "cbenef",
    "cest",
    "class_trib",
    "cst_ibs_cbs",
    "ncm",
    "pix_participantes",
    "tipi",
];

/// Waits for this test's turn; the embedded tables answer when it begins.
async fn turn() -> MutexGuard<'static, ()> {
    let turn = TURN.lock().await;
    for table in TABLES {
        data::versions::withdraw(table);
    }
    turn
}

/// Imports a file that may be shorter than what is built in.
async fn import(app: &TestApp, kind: DatasetKind, name: &str, bytes: &[u8]) -> Outcome {
    let options = Options {
        fewer: true,
        date: (kind != DatasetKind::Ncm).then(|| "2026-11-20".to_owned()),
        ..Options::default()
    };
    let outcome = import_with(app, kind, name, bytes, options, false).await;
    let outcome = outcome.expect("imported");
    assert_eq!(outcome.ended, Ended::Imported, "{:?}", outcome.report);
    outcome
}

/// What the hub does every half minute, and what a process that starts then makes of
/// the same editions.
async fn refresh(app: &TestApp) -> Vec<Change> {
    let served = hub::editions::refresh(&app.app.db, &app.app.editions).await;
    served.expect("refreshed");
    let changes = Follower::default().refresh(&app.app.db).await;
    changes.expect("refreshed")
}

/// An active edition of the NCM that no import made: its rows as they are given, and
/// how many it says it has.
async fn active(app: &TestApp, version: &str, rows: Vec<CodeRow>, count: i64) -> i64 {
    let now_ms = app.app.now_ms();
    let edition = EditionRow {
        id: 0,
        kind: DatasetKind::Ncm,
        scope: String::new(),
        status: EditionStatus::Loading,
        version: version.to_owned(),
        source: "ncm.json".to_owned(),
        sha256: version.to_owned(),
        row_count: count,
        valid_until: String::new(),
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
    };
    let written = app.app.db.write((edition, rows), |(edition, rows), conn| {
        Box::pin(async move {
            let id = editions::begin(conn, edition).await?;
            editions::insert_rows(conn, id, rows).await?;
            let begun = EditionRow {
                id,
                ..edition.clone()
            };
            editions::activate(conn, &begun, edition.created_at_ms).await?;
            Ok::<_, store::TxError<std::convert::Infallible>>(id)
        })
    });
    written.await.expect("written")
}

/// Gives the active edition of the NCM up, as `hub data undo` does.
async fn undo(app: &TestApp) {
    let undone = app.app.db.write(app.app.now_ms(), |now_ms, conn| {
        Box::pin(async move {
            let undone = editions::undo(conn, DatasetKind::Ncm, "", *now_ms).await?;
            Ok::<_, store::TxError<std::convert::Infallible>>(undone)
        })
    });
    assert!(undone.await.expect("written"));
}
