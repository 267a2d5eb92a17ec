//! Everything the simulator remembers, and how its journal is read again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::engine::journal::Journal;
use crate::engine::{Memory, Witness};
use crate::notes::{Notes, Registro};
use crate::provider::{chatapp, psp};
use crate::sefaz;

/// What single systems remember besides notes.
#[derive(Default)]
pub(super) struct Memories {
    pub sefaz: sefaz::Memoria,
    pub psp: psp::Memoria,
    pub chatapp: chatapp::Memoria,
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
    Sefaz(Box<sefaz::Registro>),
    Psp(Box<psp::Registro>),
    Chatapp(Box<chatapp::Recado>),
    #[serde(untagged)]
    Notes(Registro),
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
            Line::Sefaz(registro) => self.memories.sefaz.apply(*registro),
            Line::Psp(registro) => self.memories.psp.apply(*registro),
            Line::Chatapp(message) => self.memories.chatapp.apply(*message),
            Line::Notes(registro) => {
                self.memories.sefaz.see(&registro, &self.notes);
                self.notes.apply(registro);
            }
        }
    }

    pub fn count(&mut self, sistema: &str, operacao: &str) {
        *self
            .received
            .entry(sistema.to_owned())
            .or_default()
            .entry(operacao.to_owned())
            .or_default() += 1;
    }
}
