//! What the authorities remember in common: notes, events, batches and numbers.
//!
//! Every change is a `Record`; the journal is their list, so that applying
//! it again gives the same state. What only one system remembers is its own
//! (`engine::Memory`).

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

/// An issued note.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Nota {
    /// System that issued it: `nacional`, or the profile of the city.
    pub sistema: String,
    /// Environment (`producao`, `homologacao`) or the city's host name.
    pub local: String,
    /// CNPJ or CPF of the provider.
    pub prestador: String,
    /// What makes it unique for its issuer: the DPS `Id`, or `serie/numero/tipo` of the RPS.
    pub chave_natural: String,
    /// Number given by the authority.
    pub numero: u64,
    /// Access key (national system).
    pub chave: Option<String>,
    /// Verification code (cities).
    pub codigo_verificacao: Option<String>,
    /// What it is now.
    pub situacao: Status,
    /// When it was issued, epoch milliseconds.
    pub emitida_ms: i64,
    /// From when on it can be seen: later than `emitida_ms` while it is queued.
    pub disponivel_ms: i64,
    /// Documents of those who may read it.
    pub partes: Vec<String>,
    /// The note as it is delivered.
    #[serde(default)]
    pub xml: String,
    /// Other facts its system needs later.
    #[serde(default)]
    pub dados: BTreeMap<String, String>,
}

/// Life of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Valid.
    Normal,
    /// Cancelled.
    Cancelada,
    /// Replaced by another one.
    Substituida,
}

/// A registered event of a national NFS-e, an NF-e or an NFC-e.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// Access key of the note.
    pub chave: String,
    /// Six digits: 101101 and so on.
    pub tipo: String,
    /// Number of this event among those of its type.
    pub sequencia: u32,
    /// When it was registered, epoch milliseconds.
    pub registrado_ms: i64,
    /// The signed event.
    pub xml: String,
    /// System that registered it, empty for the national NFS-e.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sistema: String,
    /// Other facts its system needs later.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dados: BTreeMap<String, String>,
}

/// A batch of RPS that a city took.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Batch {
    /// Protocol given back.
    pub protocolo: String,
    /// Profile of the city.
    pub sistema: String,
    /// Host name of the city.
    pub local: String,
    /// Provider.
    pub prestador: String,
    /// Number given by the provider.
    pub numero: String,
    /// When it was received, epoch milliseconds.
    pub recebido_ms: i64,
    /// From when on the result can be read.
    pub pronto_ms: i64,
    /// Ids of the notes issued from it; empty when it was refused.
    pub notas: Vec<String>,
    /// Messages of the refusal: code, text, correction.
    pub mensagens: Vec<(String, String, String)>,
}

/// One change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum Record {
    /// A note was issued.
    Nota(Box<Nota>),
    /// A note changed.
    Situacao {
        /// `Nota::id` of the note.
        id: String,
        /// What it is now.
        situacao: Status,
        /// Facts to add.
        dados: BTreeMap<String, String>,
    },
    /// An event was registered.
    Evento(Box<Event>),
    /// A batch was taken.
    Lote(Box<Batch>),
}

impl Nota {
    /// Unique over all systems.
    pub fn id(&self) -> String {
        note_id(
            &self.sistema,
            &self.local,
            &self.prestador,
            &self.chave_natural,
        )
    }
}

/// `Nota::id` from its parts.
pub fn note_id(system: &str, local: &str, prestador: &str, natural: &str) -> String {
    format!("{system}|{local}|{prestador}|{natural}")
}

/// The memory.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub notas: Vec<Nota>,
    by_id: HashMap<String, usize>,
    by_key: HashMap<String, usize>,
    pub events: Vec<Event>,
    events_by_key: HashMap<String, Vec<usize>>,
    batches: HashMap<String, Batch>,
    numbers: HashMap<String, u64>,
    /// Times the processing of a natural key began, accepted or not.
    pub attempts: BTreeMap<String, u64>,
}

impl Notes {
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Nota(nota) => {
                let at = self.notas.len();
                let last = self
                    .numbers
                    .entry(number_of(&nota.sistema, &nota.local, &nota.prestador))
                    .or_default();
                *last = (*last).max(nota.numero);
                self.by_id.insert(nota.id(), at);
                if let Some(chave) = &nota.chave {
                    self.by_key.insert(chave.clone(), at);
                }
                self.notas.push(*nota);
            }
            Record::Situacao {
                id,
                situacao: status,
                dados: data,
            } => {
                if let Some(nota) = self.by_id.get(&id).and_then(|i| self.notas.get_mut(*i)) {
                    nota.situacao = status;
                    nota.dados.extend(data);
                }
            }
            Record::Evento(event) => {
                self.events_by_key
                    .entry(event.chave.clone())
                    .or_default()
                    .push(self.events.len());
                self.events.push(*event);
            }
            Record::Lote(batch) => {
                self.batches.insert(batch.protocolo.clone(), *batch);
            }
        }
    }

    pub fn note(&self, id: &str) -> Option<&Nota> {
        self.by_id.get(id).and_then(|i| self.notas.get(*i))
    }

    pub fn note_by_key(&self, chave: &str) -> Option<&Nota> {
        self.by_key.get(chave).and_then(|i| self.notas.get(*i))
    }

    /// Events of a note, in the order of their registration.
    pub fn events_of(&self, chave: &str) -> impl Iterator<Item = &Event> {
        self.events_by_key
            .get(chave)
            .into_iter()
            .flatten()
            .filter_map(|i| self.events.get(*i))
    }

    pub fn batch(&self, protocol: &str) -> Option<&Batch> {
        self.batches.get(protocol)
    }

    pub fn batches(&self) -> usize {
        self.batches.len()
    }

    /// Next number of a provider at a system.
    pub fn next_number(&self, system: &str, local: &str, prestador: &str) -> u64 {
        self.numbers
            .get(&number_of(system, local, prestador))
            .copied()
            .unwrap_or(0)
            + 1
    }

    pub fn attempt(&mut self, id: String) {
        *self.attempts.entry(id).or_default() += 1;
    }
}

fn number_of(system: &str, local: &str, prestador: &str) -> String {
    format!("{system}|{local}|{prestador}")
}
