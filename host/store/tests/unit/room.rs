//! Warnings before a disk is full, and when they end.

use base::config::Config;
use base::errors::{Failure, Refusal};
use base::files::Space;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::node::room::{Left, Room};
use store::{Conn, Db, TxError, checks};

const MIB: u64 = 1 << 20;
/// What the disk of the test has, bytes.
const TOTAL: u64 = 10_000 * MIB;

struct Disk {
    free: Arc<AtomicU64>,
    room: Room,
}

fn disk(settings: &[(&str, &str)]) -> Disk {
    let value = |name: &str| {
        let mut known = settings.iter().filter(|(known, _)| *known == name);
        known.next().map(|(_, value)| (*value).to_owned())
    };
    let config = Config::load(None, value, &[]).expect("settings");
    let free = Arc::new(AtomicU64::new(TOTAL / 2));
    let read = free.clone();
    let room = Room::new(
        &config,
        Arc::new(move |_| match read.load(Ordering::Relaxed) {
            u64::MAX => Err(io::Error::other("no answer")),
            free => Ok(Space { free, total: TOTAL }),
        }),
    );
    Disk { free, room }
}

impl Disk {
    fn at(&self, free: u64) -> Left {
        self.free.store(free, Ordering::Relaxed);
        self.room.look().now
    }
}

#[test]
fn a_disk_is_low_and_then_spent_and_comes_back() {
    let disk = disk(&[("HUB_STORAGE_FREE_SPACE_FLOOR", "104857600")]);
    assert_eq!(disk.room.left(), Left::Enough);
    assert_eq!(disk.room.news(Left::Enough), None);
    assert_eq!(disk.at(999 * MIB), Left::Low);
    assert!(disk.room.enough().is_ok(), "a warning refuses nothing");
    // What was told is told once.
    assert_eq!(disk.room.news(Left::Low), Some(Left::Enough));
    assert_eq!(disk.room.news(Left::Low), None);
    assert_eq!(disk.at(99 * MIB), Left::Spent);
    let refusal = disk.room.enough().expect_err("nothing begins");
    assert_eq!(refusal.code.as_str(), "espaco_esgotado");
    assert_eq!(
        (refusal.code.status(), refusal.retry_after_s),
        (503, Some(60))
    );
    // A little above the threshold is not above it yet.
    assert_eq!(disk.at(105 * MIB), Left::Spent);
    assert_eq!(disk.at(111 * MIB), Left::Low);
    assert_eq!(disk.at(1_050 * MIB), Left::Low);
    assert_eq!(disk.at(1_101 * MIB), Left::Enough);
    // A disk that does not answer stays as it was.
    assert_eq!(disk.at(50 * MIB), Left::Spent);
    assert_eq!(disk.at(u64::MAX), Left::Spent);
    assert_eq!(disk.room.spaces().count(), 0);
}

#[test]
fn thresholds_are_settings() {
    let bytes = disk(&[("HUB_STORAGE_FREE_SPACE_WARNING", "2097152000")]);
    assert_eq!(bytes.at(1_999 * MIB), Left::Low);
    let none = disk(&[
        ("HUB_STORAGE_FREE_SPACE_WARNING", "0"),
        ("HUB_STORAGE_FREE_SPACE_FLOOR", "0"),
    ]);
    assert_eq!(none.at(0), Left::Enough);
}

#[test]
fn only_the_disk_of_the_database_refuses() {
    let server = disk(&[("HUB_DATABASE_URL", "postgres://hub@localhost/hub")]);
    assert_eq!(server.at(0), Left::Low);
    assert!(server.room.enough().is_ok());
    let elsewhere = disk(&[("HUB_DATABASE_URL", "sqlite:/elsewhere/hub.db")]);
    assert_eq!(elsewhere.at(0), Left::Spent);
    let each: Vec<_> = elsewhere.room.each().collect();
    assert_eq!(each, [("data", Left::Low), ("database", Left::Spent)]);
}

/// Statements of the writing connection, in one transaction.
async fn run(db: &Db, statements: &'static [&'static str]) -> Result<(), TxError<Refusal>> {
    let written = db.write(statements, |statements, conn| {
        Box::pin(async move {
            for sql in *statements {
                if let Conn::Sqlite(sqlite) = &mut *conn {
                    sqlite.execute(sql, &[])?;
                }
            }
            checks::writable(conn, 1).await?;
            Ok(())
        })
    });
    written.await
}

#[tokio::test]
async fn a_database_that_cannot_grow_is_a_full_disk_and_works_again() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let db = Db::open(&url, 1).await.expect("database");
    // The engine takes no less than the pages that there are.
    let grown = run(
        &db,
        &[
            "PRAGMA max_page_count = 1",
            "CREATE TABLE grown AS SELECT zeroblob(8000000) AS content",
        ],
    );
    match Failure::from(grown.await.expect_err("it cannot grow")) {
        Failure::Refused(refusal) => assert_eq!(refusal.code.as_str(), "espaco_esgotado"),
        Failure::Internal(error) => panic!("{error:#}"),
    }
    let again = run(&db, &["PRAGMA max_page_count = 4294967294"]);
    again.await.expect("room again");
}
