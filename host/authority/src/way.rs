//! Where the requests of a flow go, and which adapter makes them.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use store::ids::{AccountId, CertificateId, EmitterId};
use store::tables::flows::FlowRow;
use store::words::Maybe;

/// Where a flow's requests go. Frozen with the flow: a registry reload does
/// not move a note in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    pub mode: Mode,
    pub endpoints: BTreeMap<String, String>,
    /// Hosts an absolute URL may name.
    pub hosts: BTreeSet<String>,
    /// Empty where there is no company behind it.
    pub emitter_id: EmitterId,
    /// Certificate in use when the flow began; empty: the simulator's.
    pub certificate_id: Maybe<CertificateId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Test keys: authorities inside this process.
    InProcess,
    /// All addresses answered by the simulator, over TLS.
    Simulator,
    Official,
}

/// Component, context and way for a new flow, as they are now.
#[derive(Clone, Debug)]
pub struct Rumo {
    pub component: String,
    pub digest: String,
    /// JSON of the adapter's context and of the way.
    pub context: String,
    pub way: String,
}

impl Rumo {
    /// A flow of this subject on this way.
    pub fn flow(&self, account: &AccountId, subject: &str, content: &str) -> FlowRow {
        FlowRow {
            account_id: account.to_owned(),
            subject_id: subject.to_owned(),
            component: self.component.clone(),
            digest: self.digest.clone(),
            conteudo: content.to_owned(),
            context: self.context.clone(),
            way: self.way.clone(),
            ..FlowRow::default()
        }
    }
}
