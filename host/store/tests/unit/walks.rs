//! Statements that read much.

use std::time::Duration;
use store::ids::AccountId;
use store::{Conn, Db, copy};

const ENDLESS: &str =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
const SHORT: &str = "select 7";

#[tokio::test]
async fn a_walk_that_takes_too_long_is_stopped_and_the_next_one_is_not() {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    let db = Db::open(&url, 1).await.expect("database");
    let account = AccountId::from("con_1");
    let mut walk = db
        .walk_within(&account, Some(Duration::ZERO))
        .await
        .expect("walk");
    let Conn::Sqlite(conn) = &mut *walk else {
        panic!("a SQLite file");
    };
    let stopped = conn
        .all::<i64>(ENDLESS, &[])
        .await
        .expect_err("it is stopped");
    let code = stopped.as_database_error().and_then(|error| error.code());
    assert_eq!(code.as_deref(), Some("9"), "SQLite's INTERRUPT");
    drop(walk);
    let mut walk = db.walk(&account).await.expect("walk");
    let Conn::Sqlite(conn) = &mut *walk else {
        panic!("a SQLite file");
    };
    assert_eq!(conn.all::<i64>(SHORT, &[]).await.expect("answer"), [7]);
}
