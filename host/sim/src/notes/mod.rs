//! What the authorities remember in common: notes, events, batches and numbers.
//!
//! Every change is a `Record`. What only one system remembers is its own
//! (`engine::Memory`). All of it is in one file (`store`); nothing of it in memory.

mod attempt;
pub(crate) mod store;
mod tables;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use attempt::Attempts;
pub(crate) use tables::{Heading, Notes, TABLES};

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

/// One change, as the journals of earlier versions have it, too.
#[derive(Debug, Clone, Deserialize)]
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
