//! Everything the simulator remembers, and how its journal is read again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::engine::journal::Journal;
use crate::engine::{Memory, Witness};
use crate::notes::{Notes, Record};
use crate::provider::{chatapp, psp};
use crate::sefaz;

/// What single systems remember besides notes.
#[derive(Default)]
pub(super) struct Memories {
    pub sefaz: sefaz::NoteMemory,
    pub psp: psp::ChargeMemory,
    pub chatapp: chatapp::MessageMemory,
}

/// The memory of all systems.
#[derive(Default)]
pub(super) struct State {
    pub notes: Notes,
    pub memories: Memories,
    /// System, operation: requests that arrived, refused and cut ones too.
    pub received: BTreeMap<String, BTreeMap<String, u64>>,
    pub journal: Option<Journal>,
}

/// One line of the journal.
#[derive(Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
enum Line {
    Sefaz(Box<sefaz::Record>),
    Psp(Box<psp::Record>),
    Chatapp(Box<chatapp::Recado>),
    #[serde(untagged)]
    Notes(Record),
}

impl State {
    /// Begins with what the journal holds, or empty.
    pub fn open(journal: Option<&Path>) -> std::io::Result<Self> {
        let mut state = Self::default();
        if let Some(path) = journal {
            let journal = Journal::open(path, |line| state.apply(line))?;
            state.journal = Some(journal);
        }
        Ok(state)
    }

    fn apply(&mut self, line: Line) {
        match line {
            Line::Sefaz(record) => self.memories.sefaz.apply(*record),
            Line::Psp(record) => self.memories.psp.apply(*record),
            Line::Chatapp(message) => self.memories.chatapp.apply(*message),
            Line::Notes(record) => {
                self.memories.sefaz.see(&record, &self.notes);
                self.notes.apply(record);
            }
        }
    }

    pub fn count(&mut self, system: &str, operation: &str) {
        *self
            .received
            .entry(system.to_owned())
            .or_default()
            .entry(operation.to_owned())
            .or_default() += 1;
    }
}
