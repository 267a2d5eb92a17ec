//! How far an import has come, for whoever shows it.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What an import does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reads the files and judges their lines.
    Checking,
    /// Compares with the active edition.
    Comparing,
    /// Reads the files again and writes rows.
    Writing,
    /// Writes the index of the catalogue.
    Indexing,
}

impl Stage {
    /// In a word, for people.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Checking => "checking",
            Stage::Comparing => "comparing",
            Stage::Writing => "writing",
            Stage::Indexing => "indexing",
        }
    }

    fn of(number: u8) -> Stage {
        match number {
            0 => Stage::Checking,
            1 => Stage::Comparing,
            2 => Stage::Writing,
            _ => Stage::Indexing,
        }
    }
}

/// How far a stage has come: bytes of the files, or rows of an index.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Begins a stage.
    pub fn begin(&self, stage: Stage, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.stage.store(stage as u8, Ordering::Relaxed);
    }

    /// So much more is done.
    pub fn add(&self, more: u64) {
        self.done.fetch_add(more, Ordering::Relaxed);
    }

    /// Stage, what is done, and of how much.
    pub fn now(&self) -> (Stage, u64, u64) {
        (
            Stage::of(self.stage.load(Ordering::Relaxed)),
            self.done.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        )
    }
}
