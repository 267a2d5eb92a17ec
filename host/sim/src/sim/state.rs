//! Everything the simulator remembers, and where it is kept.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::engine::{Memory, Witness, journal};
use crate::nfse::learned;
use crate::notes::store::Store;
use crate::notes::{self, Attempts, Notes, Record};
use crate::provider::{chatapp, psp};
use crate::sefaz;

/// What single systems remember until a restart.
#[derive(Default)]
pub(super) struct Memories {
    pub sefaz: sefaz::NoteMemory,
    pub psp: psp::ChargeMemory,
    pub chatapp: chatapp::MessageMemory,
}

/// The memory of all systems.
#[derive(Default)]
pub(super) struct State {
    /// What is kept; None until it is first needed.
    pub store: Option<Store>,
    pub attempts: Attempts,
    pub memories: Memories,
    /// System, operation: requests that arrived, refused and cut ones too.
    pub received: BTreeMap<String, BTreeMap<String, u64>>,
    /// Why something that was looked at could not be read.
    pub unread: Option<io::Error>,
}

/// The tables of all systems.
const TABLES: [&str; 5] = [
    notes::TABLES,
    sefaz::TABLES,
    psp::TABLES,
    chatapp::TABLES,
    "CREATE TABLE taken_over (journal TEXT PRIMARY KEY);",
];

/// One line of the journal of earlier versions.
#[derive(Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
enum Line {
    Sefaz(Box<sefaz::Record>),
    Psp(Box<psp::Record>),
    Chatapp(Box<chatapp::Recado>),
    #[serde(untagged)]
    Notes(Record),
}

/// What the file is called beside the journal of the same world.
const JOURNAL: &str = "jsonl";
/// What a journal is called once it was taken over.
const TAKEN_OVER: &str = "jsonl.old";

impl State {
    /// What is kept, opened when it is first needed.
    pub fn store(&mut self, file: Option<&Path>) -> io::Result<&Store> {
        let store = match self.store.take() {
            Some(store) => store,
            None => open(file)?,
        };
        Ok(self.store.insert(store))
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

/// Opens a world; one that an earlier version left as a journal becomes a file.
fn open(file: Option<&Path>) -> io::Result<Store> {
    let store = Store::open(file, &TABLES)?;
    if let Some(file) = file {
        let journal = file.with_extension(JOURNAL);
        if journal != file && journal.exists() {
            take_over(&store, &journal)?;
            std::fs::rename(&journal, file.with_extension(TAKEN_OVER))?;
        }
    }
    Ok(store)
}

/// Brings a journal into the store, in one transaction: a process that is killed
/// meanwhile begins again, and one that is killed afterwards does it once only.
fn take_over(store: &Store, journal: &Path) -> io::Result<()> {
    tracing::info!(journal = %journal.display(), "simulator: a journal becomes a file");
    store.begin()?;
    let name = journal.file_name().unwrap_or_default().to_string_lossy();
    let known = "SELECT count(*) FROM taken_over WHERE journal = ?";
    if store.number(known, [&name]) == 0 {
        let mut attempts = Attempts::default();
        let notes = Notes::new(store, &mut attempts);
        if let Err(error) = journal::read(journal, |line| apply(&notes, line)) {
            store.fail(error);
        }
        store.run("INSERT INTO taken_over (journal) VALUES (?)", [&name]);
    }
    store.end()
}

fn apply(notes: &Notes<'_>, line: Line) {
    match line {
        Line::Sefaz(record) => sefaz::NoteMemory::apply(notes.store, *record),
        Line::Psp(record) => psp::ChargeMemory::apply(notes.store, *record),
        Line::Chatapp(message) => chatapp::MessageMemory::apply(notes.store, *message),
        Line::Notes(record) => {
            let seq = notes.apply(&record);
            sefaz::NoteMemory::see(&record, seq, notes);
            learned::see(&record, seq, notes);
        }
    }
}
