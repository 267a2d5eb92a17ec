//! A SQLite database as it is at one moment, page by page, while others go on writing.
//!
//! A read transaction holds the moment: until it ends, SQLite writes into the file
//! itself nothing that is newer, and does not begin the `-wal` file again. So the pages
//! of that moment are those of the file, but for the pages that have a newer version
//! among the frames the `-wal` file had then (<https://www.sqlite.org/walformat.html>).
//! Nobody waits for anything: what is written meanwhile is appended to the `-wal` file,
//! which grows until the transaction ends.

use super::CopyError;
use crate::open::{self, Engine};
use crate::sqlite::Sqlite;
use crate::{Conn, DbResult};
use rusqlite::Connection;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Bytes of the header of a `-wal` file, and of that of each of its frames.
const WAL_HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;
/// Places in a database's header that say whether it has a `-wal` file: 2 means that it
/// has, 1 that it has not.
const VERSIONS: std::ops::Range<usize> = 18..20;
/// Attempts to hold a moment, and how often one looks whether somebody wrote in between.
const ATTEMPTS: u32 = 50;
const LOOKS: u32 = 20;
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

const BEGIN_SQLITE: &str = "BEGIN";
const ROLLBACK_SQLITE: &str = "ROLLBACK";
/// A transaction holds its moment from its first reading on.
const FIRST_SQLITE: &str = "SELECT COUNT(*) FROM sqlite_schema";
const CHANGES_SQLITE: &str = "PRAGMA data_version";
/// Writes into the file what the readers of older moments allow; waits for nobody.
const CHECKPOINT_SQLITE: &str = "PRAGMA wal_checkpoint(PASSIVE)";
const PAGES_SQLITE: &str = "PRAGMA page_count";
const PAGE_SIZE_SQLITE: &str = "PRAGMA page_size";
/// What reads here shall not write into the file after a commit.
const QUIET_SQLITE: &str = "PRAGMA wal_autocheckpoint = 0";

/// A database held at one moment, until this is dropped.
pub struct Frozen {
    /// Reads what the pages hold, as rows.
    pub conn: Conn,
    /// Keeps the `-wal` file from being begun again before `conn` does.
    _guard: Sqlite,
    /// The pages; they are right only as long as the rest of this is there. Dropped last:
    /// to close a file ends the locks that a process has on it.
    pub pages: Arc<Pages>,
}

/// Bytes of a database file of one moment.
pub struct Pages {
    main: File,
    wal: File,
    /// Place in the `-wal` file of each page that is newer there, by number.
    newer: HashMap<u64, u64>,
    page: u64,
    bytes: u64,
    folder: PathBuf,
}

/// What a checkpoint told: frames of the `-wal` file, and how many of them are in the
/// database file, too.
struct Told {
    frames: i64,
    written: i64,
}

impl Frozen {
    /// Holds the database of a SQLite URL as it is now. It blocks for some flushes of
    /// the disk, so not on a thread that others wait for.
    ///
    /// # Errors
    /// It is no SQLite database, or somebody writes so often that no moment was held.
    pub fn take(url: &str) -> Result<Frozen, CopyError> {
        if open::engine(url)? != Engine::Sqlite {
            return super::refused("only a SQLite database is a file");
        }
        let file = open::sqlite_options(url)?.get_filename().to_owned();
        let main = File::open(&file).map_err(sqlx::Error::Io)?;
        let (looking, reader, guard) = (quiet(&file)?, quiet(&file)?, quiet(&file)?);
        for _ in 0..ATTEMPTS {
            guard.with(hold)?;
            looking.with(checkpoint)?;
            if let Some(told) = held(&looking, &reader)? {
                let pages = Pages::of(main, &file, &reader, &told)?;
                return Ok(Frozen {
                    conn: Conn::Sqlite(reader),
                    _guard: guard,
                    pages: Arc::new(pages),
                });
            }
            guard.with(let_go)?;
            std::thread::sleep(PAUSE);
        }
        super::refused(
            "no moment of the database could be held: it is written without a pause; repeat it when less is written",
        )
    }
}

fn quiet(file: &Path) -> DbResult<Sqlite> {
    let sqlite = Sqlite::open(file)?;
    sqlite.with(|own| own.query_row(QUIET_SQLITE, [], |_| Ok(())))?;
    Ok(sqlite)
}

fn hold(own: &Connection) -> rusqlite::Result<()> {
    own.execute_batch(BEGIN_SQLITE)?;
    own.query_row(FIRST_SQLITE, [], |_| Ok(()))
}

fn let_go(own: &Connection) -> rusqlite::Result<()> {
    own.execute_batch(ROLLBACK_SQLITE)
}

fn number(own: &Connection, sql: &str) -> rusqlite::Result<i64> {
    own.query_row(sql, [], |row| row.get(0))
}

/// None: another process is just at it.
fn checkpoint(own: &Connection) -> rusqlite::Result<Option<Told>> {
    own.query_row(CHECKPOINT_SQLITE, [], |row| {
        let (busy, frames, written): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((busy == 0 && frames >= 0).then_some(Told { frames, written }))
    })
}

/// Begins the reader's transaction at a moment of which the number of frames is known:
/// nothing was committed between the count and the beginning.
fn held(looking: &Sqlite, reader: &Sqlite) -> DbResult<Option<Told>> {
    for _ in 0..LOOKS {
        let before = looking.with(|own| number(own, CHANGES_SQLITE))?;
        let told = looking.with(checkpoint)?;
        reader.with(hold)?;
        let after = looking.with(|own| number(own, CHANGES_SQLITE))?;
        if let Some(told) = told
            && before == after
        {
            return Ok(Some(told));
        }
        reader.with(let_go)?;
    }
    Ok(None)
}

impl Pages {
    fn of(main: File, file: &Path, reader: &Sqlite, told: &Told) -> Result<Pages, CopyError> {
        let count = |sql| -> DbResult<u64> {
            let count = reader.with(|own| number(own, sql))?;
            u64::try_from(count).map_err(|_| crate::unreadable("size of the database", sql))
        };
        let (page, pages) = (count(PAGE_SIZE_SQLITE)?, count(PAGES_SQLITE)?);
        let mut name = file.as_os_str().to_owned();
        name.push("-wal");
        let wal = File::open(PathBuf::from(name)).map_err(sqlx::Error::Io)?;
        // Where the file has every frame, the reader needs none, and they may be
        // overwritten.
        let frames = if told.frames > told.written {
            u64::try_from(told.frames).unwrap_or(0)
        } else {
            0
        };
        let folder = file.parent().filter(|path| !path.as_os_str().is_empty());
        Ok(Pages {
            newer: newer(&wal, frames, page).map_err(sqlx::Error::Io)?,
            main,
            wal,
            page,
            bytes: pages * page,
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
        })
    }

    /// Length of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Length of the `-wal` file now.
    ///
    /// # Errors
    /// The disk fails.
    pub fn wal_bytes(&self) -> io::Result<u64> {
        Ok(self.wal.metadata()?.len())
    }

    /// The folder the database is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads from a place that is the beginning of a page; how many bytes there are, less
    /// than asked for only at the end. The header says that there is no `-wal` file.
    ///
    /// # Errors
    /// The disk fails.
    pub fn read(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.saturating_sub(at)).unwrap_or(usize::MAX);
        let length = into.len().min(left);
        let into = &mut into[..length];
        fill(&self.main, at, into)?;
        let page = usize::try_from(self.page).map_err(io::Error::other)?;
        for (number, part) in (at / self.page + 1..).zip(into.chunks_mut(page)) {
            if let Some(place) = self.newer.get(&number) {
                self.wal.read_exact_at(part, *place)?;
            }
        }
        if at == 0
            && let Some(versions) = into.get_mut(VERSIONS)
        {
            versions.fill(1);
        }
        Ok(length)
    }
}

/// Where the newest version of each page is among the first frames of a `-wal` file.
fn newer(wal: &File, frames: u64, page: u64) -> io::Result<HashMap<u64, u64>> {
    let mut newer = HashMap::new();
    let mut number = [0; 4];
    for frame in 0..frames {
        let at = WAL_HEADER + frame * (FRAME_HEADER + page);
        wal.read_exact_at(&mut number, at)?;
        newer.insert(u64::from(u32::from_be_bytes(number)), at + FRAME_HEADER);
    }
    Ok(newer)
}

/// Reads what there is; the rest is zeros: pages at the end that nothing uses were
/// perhaps never written.
fn fill(file: &File, mut at: u64, mut into: &mut [u8]) -> io::Result<()> {
    while !into.is_empty() {
        match file.read_at(into, at) {
            Ok(0) => {
                into.fill(0);
                return Ok(());
            }
            Ok(taken) => {
                at += taken as u64;
                into = &mut into[taken..];
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
