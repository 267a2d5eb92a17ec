//! Copies of a hub to come back from, and moves to another database.
//!
//! A backup is a folder: `hub.db` (SQLite, whatever the hub runs on), the
//! files of the data folder below `data/`, and `manifest.json`, written last,
//! with the SHA-256 of each file and the rows of each table. A folder without
//! a manifest is no backup.

mod make;
mod manifest;
mod moving;
mod restore;

pub use make::{Made, make};
pub use manifest::Manifest;
pub use moving::{Moved, move_store};
pub use restore::{Restored, restore};

use std::path::Path;

/// The database of a backup, and the folder of its other files.
const DATABASE: &str = "hub.db";
const FILES: &str = "data";
const MANIFEST: &str = "manifest.json";

/// What stands in a data folder and is not kept: it is the database itself,
/// belongs to a process, or is made again.
const REMADE: [&str; 6] = [
    "hub.db",
    "hub.db-wal",
    "hub.db-shm",
    "hub.lock",
    // Compiled components.
    "cache",
    // ZIPs of documents, which live for a day.
    "exportacoes",
];

/// The folder objects are in.
const OBJECTS: &str = "objetos";

/// A folder that is not there yet, or has nothing in it.
fn is_empty(folder: &Path) -> std::io::Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}
