//! The record of what adapters had signed, which is read and cut by its ids.

use base::ids;
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use std::convert::Infallible;
use store::tables::adapter_uses::{self, PREFIX, UseKind, UseRow};
use store::{TxError, copy, migrations};
use tests::{TestApp, both, postgres};

/// The last migration of those that have an index by time.
const BY_TIME: i64 = 24;
fn row(id: &str) -> UseRow {
    UseRow {
        id: id.to_owned(),
        ..UseRow::default()
    }
}

async fn newest(app: &TestApp, since_ms: i64, limit: i64) -> Vec<UseRow> {
    let mut conn = app.app.db.read().await.expect("connection");
    let rows = adapter_uses::newest(&mut conn, since_ms, limit).await;
    rows.expect("rows")
}

async fn purge(app: &TestApp, before_ms: i64, limit: i64) -> u64 {
    let removed = app
        .app
        .db
        .write((before_ms, limit), |&(before_ms, limit), conn| {
            Box::pin(async move {
                Ok::<_, TxError<Infallible>>(adapter_uses::purge(conn, before_ms, limit).await?)
            })
        });
    removed.await.expect("removed")
}

both! {
    async fn what_lies_before_a_moment_is_left_out_and_removed(app: TestApp) {
        // Yesterday: the hub itself removes none of them.
        let at_ms = app.app.now_ms() - 86_400_000;
        let mut ids = ids::several(PREFIX, at_ms - 1, 2);
        ids.extend(ids::several(PREFIX, at_ms, 2));
        // What they say of their time is not asked.
        let rows: Vec<UseRow> = ids.iter().map(|id| row(id)).collect();
        let written = app.app.db.write(rows.clone(), |rows, conn| {
            Box::pin(async move { Ok::<_, TxError<Infallible>>(adapter_uses::insert(conn, rows).await?) })
        });
        written.await.expect("written");
        let [first, second, third, fourth] = rows.try_into().expect("four rows");
        let all = [&fourth, &third, &second, &first].map(Clone::clone);
        assert_eq!(newest(&app, at_ms - 1, 10).await, all);
        assert_eq!(newest(&app, at_ms, 10).await, all[..2]);
        assert_eq!(newest(&app, at_ms, 1).await, all[..1]);
        assert_eq!(newest(&app, at_ms + 1, 10).await, []);

        assert_eq!(purge(&app, at_ms - 1, 10).await, 0);
        assert_eq!(purge(&app, at_ms, 1).await, 1, "the oldest");
        assert_eq!(newest(&app, 0, 10).await, all[..3]);
        assert_eq!(purge(&app, at_ms, 10).await, 1);
        assert_eq!(purge(&app, at_ms, 10).await, 0);
        assert_eq!(newest(&app, 0, 10).await, all[..2]);
    }
}

/// Writes as the version before did and migrates the rest: the rows are as they were.
async fn each_is_kept(url: &str) {
    let [first, second, third] = [1, 2, 3].map(|n| UseRow {
        account_id: format!("acc_{n}").as_str().into(),
        flow_id: format!("flw_{n}").as_str().into(),
        component: format!("component {n}"),
        digest: format!("digest {n}"),
        kind: UseKind::Certificate,
        what: format!("what {n}"),
        sha256: format!("sha256 {n}"),
        refused: format!("refused {n}"),
        at_ms: n,
        ..row(&format!("use_{n}"))
    });
    let mut conn = copy::connect(url).await.expect("connection");
    let rows = [first.clone(), third.clone(), second.clone()];
    let written = adapter_uses::insert(&mut conn, &rows).await;
    written.expect("written");
    drop(conn);
    let mut conn = copy::migrated(url).await.expect("migrated");
    let kept = adapter_uses::newest(&mut conn, 0, 10).await.expect("rows");
    assert_eq!(kept, [third, second, first]);
}

/// An update keeps what was written by the version before.
#[tokio::test]
async fn rows_of_an_older_database_are_kept() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("hub.db");
    std::fs::write(&file, "").expect("a file");
    let url = copy::sqlite_url(&file);
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    let old = migrations::sqlite().run_to(BY_TIME, &mut conn).await;
    old.expect("migrated");
    conn.close().await.expect("closed");
    each_is_kept(&url).await;

    let Some(url) = postgres::database().await else {
        return;
    };
    let mut conn = PgConnection::connect(&url).await.expect("connection");
    let old = migrations::postgres().run_to(BY_TIME, &mut conn).await;
    old.expect("migrated");
    conn.close().await.expect("closed");
    each_is_kept(&url).await;
}
