//! Imported reference data: readers of official files, their editions, and what
//! is looked up in them.
//!
//! An import reads its files twice. The first pass ([`check`]) writes nothing: it
//! finds wrong lines and repeated codes, and tells what would change
//! ([`import::compare`]). The second ([`load`]) writes an edition of its own in small
//! transactions; one more makes it the active one. Until then, and whenever an
//! import ends early, answers are made of the edition of before
//! (docs/decisions/0011-imported-data.md).

pub mod bases;
pub mod catalog;
pub mod check;
pub mod files;
pub mod formats;
pub mod import;
pub mod load;
pub mod progress;
pub mod rates;
pub mod report;
pub mod similar;
pub mod sweep;

use std::path::PathBuf;
use store::DbError;

/// Why an import ended without a new edition.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened or read to its end.
    #[error("{}: {error}", path.display())]
    File {
        path: PathBuf,
        error: std::io::Error,
    },
    /// The file is not what this kind of import takes; the sentence says why.
    #[error("{0}")]
    Refused(String),
    #[error("database: {0}")]
    Db(#[from] DbError),
}

impl ImportError {
    /// A refusal that names its file.
    pub(crate) fn of(file: &str, why: impl std::fmt::Display) -> ImportError {
        ImportError::Refused(format!("{file}: {why}"))
    }
}
