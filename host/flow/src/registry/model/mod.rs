//! The registry in memory: resolved, checked, immutable.

mod sefaz;
mod tls;

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Date;

pub(super) use sefaz::Sefaz;
pub use sefaz::{Autorizador, Model, Services, Uf};
pub(super) use tls::DEFAULT_LEVEL;
pub use tls::{Root, TlsEvidence, TlsProfile};

/// Name of an endpoint ("sefin", "nfse") to its URL.
pub type Endpoints = BTreeMap<String, String>;

/// Name of an adapter option to its value.
pub type Options = BTreeMap<String, OptionValue>;

/// The whole file. Made by [`Registry::parse`], never changed.
#[derive(Debug)]
pub struct Registry {
    /// Day the facts were last read.
    pub verified: Date,
    pub(super) sources: BTreeMap<String, Arc<Source>>,
    pub(super) adapters: BTreeMap<String, Adapter>,
    pub(super) systems: BTreeMap<String, Arc<System>>,
    pub(super) regras: Vec<Rule>,
    pub(super) national_issuer_source: Arc<Source>,
    pub(super) presumed_change: PresumedChange,
    /// The system `via = "nacional"` points to.
    pub(super) nacional: Option<Arc<System>>,
    pub(super) sefaz: Sefaz,
    /// Sorted by IBGE code.
    pub(super) municipalities: Vec<Municipality>,
    /// Folded name and position in `municipios`, sorted.
    pub(super) names: Vec<(String, usize)>,
}

/// When a previous route without an end is taken to have ended.
#[derive(Debug)]
pub(super) struct PresumedChange {
    pub(super) on: Date,
    pub(super) cited: Arc<Source>,
}

/// Who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Short name used in the file ("rfb").
    pub id: String,
    /// For people, pt-BR.
    pub name: String,
    /// Date of the document or of the version read.
    pub data: Date,
    /// Read in a summary of the official text, not in it.
    pub second_hand: bool,
}

/// A source as it goes into an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Short name of the source.
    pub source_id: String,
    /// Name of the source, pt-BR.
    pub cited: String,
    /// Day the source speaks of.
    pub verified: Date,
}

/// A component that can issue, and what the registry must give it.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// Name in the file.
    pub name: String,
    /// Name the component describes itself with.
    pub component: String,
    /// Endpoints each route must have in production.
    pub endpoints: Vec<String>,
    /// Options a system or a route may set.
    pub options: BTreeMap<String, OptionSpec>,
}

/// Kind and accepted values of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionSpec {
    /// Kind of the value.
    pub kind: OptionKind,
    /// Accepted values of a choice or of a list; empty for the other kinds.
    pub values: Vec<String>,
}

/// Kinds of option values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// Free text.
    Text,
    /// Whole number.
    Integer,
    /// Decimal written as text ("0.05").
    Decimal,
    /// true or false.
    Flag,
    /// One of the accepted values.
    Choice,
    /// Some of the accepted values.
    List,
}

/// Value of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// Text, decimal or choice.
    Text(String),
    /// Whole number.
    Integer(i64),
    /// true or false.
    Flag(bool),
    /// Chosen values, in the order of the file.
    List(Vec<String>),
}

impl OptionValue {
    /// The value as an adapter receives it: lists joined by commas.
    pub fn to_wire(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::List(items) => items.join(","),
        }
    }
}

/// How a note leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caminho {
    /// The national environment.
    Nacional,
    /// The national layout, posted to the vendor's own address.
    Gateway,
    /// The city's system and layout.
    Municipal,
}

impl Caminho {
    /// Word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nacional => "nacional",
            Self::Gateway => "gateway",
            Self::Municipal => "municipal",
        }
    }
}

/// What the system does with the emitter's A1 certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificado {
    /// Not used.
    Unused,
    /// Signs documents; the connection does without.
    Signature,
    /// Signs and identifies in the TLS handshake.
    Tls,
}

/// Tax regime of the emitter, as far as routes depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regime {
    /// Neither Simples Nacional nor MEI.
    Normal,
    /// Micro or small company of Simples Nacional.
    SimplesMeEpp,
    /// Microempreendedor individual.
    Mei,
}

impl Regime {
    /// All regimes.
    pub const ALL: [Self; 3] = [Self::Normal, Self::SimplesMeEpp, Self::Mei];

    /// Word of the file and of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::SimplesMeEpp => "simples_me_epp",
            Self::Mei => "mei",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|regime| regime.as_str() == word)
    }
}

/// A municipal or national system, with what it inherits already filled in.
#[derive(Debug)]
pub struct System {
    /// Name in the file ("webiss-202").
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Layout ("ABRASF 2.02", "DPS 1.01"); empty when no source says.
    pub standard: String,
    /// How notes leave by it.
    pub via: Caminho,
    /// Adapter that speaks to it. None: known, but the hub does not issue.
    pub adapter: Option<String>,
    /// Use of the emitter's certificate.
    pub certificado: Certificado,
    /// Secrets the customer must give, by name.
    pub credentials: Vec<String>,
    /// Addresses shared by the municipalities, production.
    pub production: Endpoints,
    /// Addresses shared by the municipalities, homologation.
    pub homologacao: Endpoints,
    /// Template of the address where the public sees a note.
    pub query: Option<String>,
    /// Values for the adapter.
    pub options: Options,
    /// What cancelling takes. None: no source says.
    pub cancelamento: Option<Cancelamento>,
    /// Real exchanges of a note with this system were seen, by us or by others.
    pub confirmed: bool,
    /// The system knows an RPS by its number alone: there is one series.
    pub without_series: bool,
    /// Warnings for whoever uses the system, pt-BR.
    pub notices: Vec<String>,
    /// Source.
    pub cited: Arc<Source>,
    /// Day of the check.
    pub verified: Date,
}

/// What a system demands to cancel.
#[derive(Debug, Clone)]
pub struct Cancelamento {
    /// Accepted reasons, in the words of the API.
    pub reasons: Vec<String>,
    /// Demands, pt-BR.
    pub exigencias: Vec<String>,
    /// Days after issuing. None: no source gives a fixed number.
    pub deadline_days: Option<u32>,
    /// Source.
    pub cited: Arc<Source>,
}

/// A rule that holds in every municipality.
#[derive(Debug)]
pub struct Rule {
    /// Name in the file.
    pub id: String,
    /// Regimes it speaks of.
    pub regimes: Vec<Regime>,
    /// Where it sends their notes.
    pub system: Arc<System>,
    /// First competence.
    pub from: Date,
    /// Last competence. None: still in force.
    pub until: Option<Date>,
    /// The city's own way stays open on request.
    pub admits_municipal: bool,
    /// pt-BR, with the legal source.
    pub reason: String,
    /// Source.
    pub cited: Arc<Source>,
}

impl Rule {
    pub(super) fn applies(&self, regime: Regime, period: Date) -> bool {
        self.regimes.contains(&regime)
            && self.from <= period
            && self.until.is_none_or(|until| period <= until)
    }
}

/// Sources that disagree about a municipality.
#[derive(Debug)]
pub struct Conflict {
    /// Name in the file.
    pub id: String,
    /// pt-BR.
    pub reason: String,
    /// The sources that disagree.
    pub sources: Vec<Arc<Source>>,
}

/// An operation the municipality does not allow.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// pt-BR.
    pub reason: String,
    /// Source.
    pub cited: Arc<Source>,
}

/// One municipality.
#[derive(Debug)]
pub struct Municipality {
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Official name.
    pub name: String,
    /// Sigla of the state.
    pub uf: String,
    /// Routes by date and regime. Empty: "não medido".
    pub routes: Vec<Leg>,
    /// Routes of before, kept for old notes.
    pub earlier: Vec<Leg>,
    /// On the Receita Federal's list of the national emitter.
    pub national_issuer: bool,
    /// Disagreements between sources.
    pub conflicts: Vec<Arc<Conflict>>,
    /// Operations refused, by name ("cancelar").
    pub refusals: BTreeMap<String, Refusal>,
    /// What other sources say, by source.
    pub other_sources: BTreeMap<String, String>,
    /// Remarks that are not typed options, as the source has them.
    pub notas: String,
    /// Source. None: no source knows the municipality's system.
    pub cited: Option<Arc<Source>>,
    /// Day of the check.
    pub verified: Option<Date>,
}

/// A stretch of time in which a municipality uses a system.
#[derive(Debug)]
pub struct Leg {
    /// The system.
    pub system: Arc<System>,
    /// First competence. None: since before the first source.
    pub from: Option<Date>,
    /// Last competence. None: still in force, or an unknown end.
    pub until: Option<Date>,
    /// Regimes it is for. Empty: all.
    pub regimes: Vec<Regime>,
    /// Addresses of the municipality, over those of the system.
    pub production: Endpoints,
    /// The same in homologation.
    pub homologacao: Endpoints,
    /// Template of the public view. None: the system's; empty: there is none.
    pub query: Option<String>,
    /// Values over those of the system.
    pub options: Options,
    /// Remarks that are not typed options, as the source has them.
    pub notas: String,
    /// Source, where it is not the municipality's.
    pub cited: Option<Arc<Source>>,
    /// Day it was seen in use, where it is not the source's date.
    pub verified: Option<Date>,
}

impl Leg {
    pub(super) fn applies(&self, period: Date) -> bool {
        self.from.is_none_or(|from| from <= period)
            && self.until.is_none_or(|until| period <= until)
    }
}

impl Evidence {
    pub(super) fn of(cited: &Source, verified: Date) -> Self {
        Self {
            source_id: cited.id.clone(),
            cited: cited.name.clone(),
            verified,
        }
    }
}

impl Registry {
    /// The municipality of an IBGE code. None: no such municipality.
    pub fn municipality(&self, ibge: u32) -> Option<&Municipality> {
        let at = self
            .municipalities
            .binary_search_by_key(&ibge, |m| m.ibge)
            .ok()?;
        self.municipalities.get(at)
    }

    /// All municipalities, by IBGE code.
    pub fn municipalities(&self) -> &[Municipality] {
        &self.municipalities
    }

    /// Municipalities of this name, ignoring case, accents and punctuation,
    /// in one state or in all. Several: the name is ambiguous, show the list.
    pub fn locate(&self, called: &str, uf: Option<&str>) -> Vec<&Municipality> {
        let folded = super::names::fold(called);
        if folded.is_empty() {
            return Vec::new();
        }
        let start = self.names.partition_point(|(name, _)| *name < folded);
        self.names
            .iter()
            .skip(start)
            .take_while(|(name, _)| *name == folded)
            .filter_map(|(_, at)| self.municipalities.get(*at))
            .filter(|m| uf.is_none_or(|uf| m.uf.eq_ignore_ascii_case(uf.trim())))
            .collect()
    }

    /// A system by its name in the file.
    pub fn system(&self, id: &str) -> Option<&Arc<System>> {
        self.systems.get(id)
    }

    /// All systems, by name.
    pub fn systems(&self) -> impl Iterator<Item = &Arc<System>> {
        self.systems.values()
    }

    /// All adapters the file speaks of, by name. The host compares `options`
    /// and `endpoints` with what the component describes before activation.
    pub fn adapters(&self) -> impl Iterator<Item = &Adapter> {
        self.adapters.values()
    }

    /// A source by its short name.
    pub fn cited(&self, id: &str) -> Option<&Source> {
        self.sources.get(id).map(Arc::as_ref)
    }

    /// Rules that hold everywhere.
    pub fn regras(&self) -> &[Rule] {
        &self.regras
    }
}
