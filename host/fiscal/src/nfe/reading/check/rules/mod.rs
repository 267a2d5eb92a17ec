//! The rules as rows: which code, over which documents and models, since when,
//! from which publication. Findings are made by these rows ([`super::Findings`]):
//! a rule that was not in force on the document's day, or is not of its model,
//! finds nothing. `GET /api/v1/fiscal/regras` is this list.

mod freight;
mod notes;
mod words;

use super::validity::{CALENDAR, Regras};
use data::cstat;
use time::Date;
use words::OWN_WORDS;

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An NF-e or NFC-e.
    Nota,
    /// An event of one.
    Evento,
    /// A voided range of numbers.
    Voiding,
    /// A document of the national NFS-e.
    Nfse,
    Cte,
    /// An event of a CT-e.
    CteEvent,
    Mdfe,
    /// An event of an MDF-e.
    MdfeEvent,
}

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `cStat`, the code of annex I of the NFS-e, or a word of ours.
    pub codigo: &'static str,
    pub subjects: &'static [Subject],
    /// `55`, `65`, `57`, `58`; none for the NFS-e.
    pub modelos: &'static [u8],
    /// The set of rules it came with; none: documents of every day are judged by
    /// it.
    pub since: Option<Regras>,
    /// The publication it is from.
    pub source: &'static str,
}

/// Rules of one publication.
struct Group {
    subjects: &'static [Subject],
    modelos: &'static [u8],
    since: Option<Regras>,
    source: &'static str,
    codes: &'static [&'static str],
}

/// Every rule, in the order of the publications.
pub fn rules() -> impl Iterator<Item = Rule> {
    let groups = notes::GROUPS.iter().chain(freight::GROUPS);
    groups.flat_map(|group| {
        group.codes.iter().map(|codigo| Rule {
            codigo,
            subjects: group.subjects,
            modelos: group.modelos,
            since: group.since,
            source: group.source,
        })
    })
}

/// Does a rule of this code judge a document of this model (0: without one) by
/// these rules? Families of documents share numbers.
pub(super) fn judges(codigo: &str, model: u8, regras: Regras) -> bool {
    rules().any(|rule| rule.codigo == codigo && rule.judges(model, regras))
}

impl Rule {
    /// Does it judge a document of this model (0: without one) by these rules?
    fn judges(&self, model: u8, rules: Regras) -> bool {
        let of_model = model == 0 || self.modelos.is_empty() || self.modelos.contains(&model);
        of_model && self.since.is_none_or(|since| since <= rules)
    }

    /// The number the authority refuses with.
    pub fn cstat(&self) -> Option<u16> {
        self.codigo.parse().ok()
    }

    /// First day in production; none: documents of every day.
    pub fn first_day(&self) -> Option<Date> {
        let since = self.since?;
        let start = CALENDAR.iter().find(|start| start.0 == since);
        start.map(|start| start.2)
    }

    /// What it says, in pt-BR: the authority's own text, where there is one.
    pub fn title(&self) -> &'static str {
        match self.answer() {
            Some(answer) => answer.text,
            None => self.own().map_or("", |own| own.1),
        }
    }

    /// How to mend what it finds, in pt-BR.
    pub fn correction(&self) -> &'static str {
        match self.answer() {
            Some(answer) => answer.hint(),
            None => self.own().map_or("", |own| own.2),
        }
    }

    fn answer(&self) -> Option<&'static cstat::Answer> {
        let first = self.modelos.first().copied().unwrap_or_default();
        cstat::get(first, self.cstat()?)
    }

    fn own(&self) -> Option<&'static (&'static str, &'static str, &'static str)> {
        let place = OWN_WORDS.binary_search_by(|own| own.0.cmp(self.codigo));
        OWN_WORDS.get(place.ok()?)
    }
}
