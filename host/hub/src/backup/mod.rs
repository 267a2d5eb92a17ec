//! Copies of a hub to come back from, and moves to another database.
//!
//! A backup is a folder: `hub.db` (SQLite, whatever the hub runs on), the
//! files of the data folder below `data/`, and `manifest.json`, written last,
//! with the SHA-256 of each file and the rows of each table. A folder without
//! a manifest is no backup. A folder of [`generations`] has many, in pieces.

mod chunks;
pub mod generations;
mod make;
mod manifest;
mod moving;
mod restore;
mod source;
mod target;

pub use make::{Held, Made, make};
pub use manifest::Manifest;
pub use moving::move_store;
pub use restore::{Restored, restore};
pub use source::Source;

use std::path::{Path, PathBuf};

/// The database of a backup, and the folder of its other files.
const DATABASE: &str = "hub.db";
const FILES: &str = "data";
const MANIFEST: &str = "manifest.json";

/// What stands in a data folder and is not kept: it is the database itself,
/// belongs to a process, or is made again.
const REMADE: [&str; 5] = [
    "hub.db",
    "hub.db-wal",
    "hub.db-shm",
    // Compiled components.
    "cache",
    // ZIPs of documents, which live for a day.
    "exportacoes",
];

/// Stands in a data folder while a backup is restored into it.
const UNFINISHED: &str = "restore.unfinished";

/// Refuses a data folder that a restore left half full.
///
/// # Errors
/// It was killed, or is still running.
pub fn whole(data_dir: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        !data_dir.join(UNFINISHED).exists(),
        "data folder {}: a restore into it did not end; wait for it, or empty folder and database and begin it again",
        data_dir.display()
    );
    Ok(())
}

/// The folder objects are in.
const OBJECTS: &str = "objetos";

/// The file of a SQLite database, in either form of its address; None for
/// PostgreSQL.
pub fn sqlite_file(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    Some(path.split('?').next().unwrap_or_default().into())
}

/// A folder that is not there yet, or has nothing in it.
fn is_empty(folder: &Path) -> std::io::Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Removes a SQLite database and the files beside it; none is needed to be there.
fn remove_database(file: &Path) -> std::io::Result<()> {
    for end in ["", "-wal", "-shm"] {
        let mut path = file.as_os_str().to_owned();
        path.push(end);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
