//! The pages of one moment are a whole database, whatever is written meanwhile.

use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use store::copy::frozen::{Frozen, Pages};

/// Moments that are taken while somebody writes.
const MOMENTS: usize = 6;
/// Transactions that must go through while one of them is held.
const THROUGH: u64 = 20;

fn open(file: &Path) -> Connection {
    let own = Connection::open(file).expect("database");
    own.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 50")
        .expect("settings");
    own
}

/// Each transaction adds rows, removes others and counts; the count is right only in a
/// moment between two of them.
fn write(file: &Path, stop: &AtomicBool, written: &AtomicU64) {
    let own = open(file);
    let mut turn = 0_i64;
    while !stop.load(Ordering::Relaxed) {
        turn += 1;
        own.execute_batch("BEGIN IMMEDIATE").expect("begin");
        for part in 0..4 {
            let values = (turn * 4 + part, turn % 7, vec![1_u8; 3_000]);
            own.execute("INSERT INTO notes VALUES (?1, ?2, ?3)", values)
                .expect("insert");
        }
        let old = own
            .execute(
                "DELETE FROM notes WHERE kind = ?1 AND id < ?2",
                (turn % 5, turn),
            )
            .expect("delete");
        let more = 4 - i64::try_from(old).expect("a number");
        own.execute("UPDATE counted SET rows = rows + ?1", [more])
            .expect("update");
        own.execute_batch("COMMIT").expect("commit");
        written.fetch_add(1, Ordering::Relaxed);
    }
}

fn copied(pages: &Pages) -> Vec<u8> {
    let (mut whole, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let taken = pages.read(whole.len() as u64, &mut piece).expect("pages");
        whole.extend_from_slice(&piece[..taken]);
        if taken < piece.len() {
            return whole;
        }
    }
}

/// Rows, and what the counter says.
fn rows(own: &Connection) -> (i64, i64) {
    let sql = "SELECT (SELECT COUNT(*) FROM notes), (SELECT rows FROM counted)";
    own.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("rows")
}

#[test]
fn a_moment_is_whole_while_others_write() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("hub.db");
    let own = open(&file);
    own.execute_batch(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, kind INTEGER, content BLOB); \
         CREATE INDEX notes_kind ON notes (kind, id); \
         CREATE TABLE counted (rows INTEGER); INSERT INTO counted VALUES (0)",
    )
    .expect("tables");
    let (stop, written) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let writer = {
        let (file, stop, written) = (file.clone(), stop.clone(), written.clone());
        std::thread::spawn(move || write(&file, &stop, &written))
    };
    let wait = |more: u64| {
        let until = written.load(Ordering::Relaxed) + more;
        while written.load(Ordering::Relaxed) < until {
            assert!(!writer.is_finished(), "the writer failed");
            std::thread::yield_now();
        }
    };
    let url = format!("sqlite:{}", file.display());
    for moment in 0..MOMENTS {
        wait(THROUGH);
        let frozen = Frozen::take(&url).expect("a moment");
        let first = copied(&frozen.pages);
        // Nobody waits, and the moment stays what it was.
        wait(THROUGH);
        assert!(copied(&frozen.pages) == first, "moment {moment} changed");
        assert_eq!(first.len() as u64, frozen.pages.bytes());
        drop(frozen);
        let copy = folder.path().join("copy.db");
        std::fs::write(&copy, &first).expect("written");
        let copy = Connection::open(&copy).expect("a database");
        let (found, counted) = rows(&copy);
        assert_eq!(found, counted, "moment {moment} is of two transactions");
        let sound: String = copy
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .expect("a check");
        assert_eq!(sound, "ok", "moment {moment}");
        let mode: String = copy
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .expect("a mode");
        assert_eq!(mode, "delete", "it needs no other file");
    }
    stop.store(true, Ordering::Relaxed);
    writer.join().expect("the writer");
}

#[test]
fn a_database_nobody_writes_is_held_too() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("hub.db");
    let own = open(&file);
    own.execute_batch("CREATE TABLE notes (id INTEGER PRIMARY KEY); INSERT INTO notes VALUES (7)")
        .expect("a table");
    let url = format!("sqlite:{}", file.display());
    let frozen = Frozen::take(&url).expect("a moment");
    let whole = copied(&frozen.pages);
    drop(frozen);
    let copy = folder.path().join("copy.db");
    std::fs::write(&copy, whole).expect("written");
    let copy = Connection::open(copy).expect("a database");
    let id: i64 = copy
        .query_row("SELECT id FROM notes", [], |row| row.get(0))
        .expect("a row");
    assert_eq!(id, 7);
    assert!(Frozen::take("postgres://hub@localhost/hub").is_err());
}
