//! What is known of a note in a case, and where a request says it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::form::plain;
use super::message::{Leaf, Message};
use cassette::Input;

/// Words of the longest value that may hold several facts.
const MAX_WORDS: usize = 8;

/// Something that is said of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fact {
    /// CNPJ or CPF of the provider.
    Provider,
    /// Series of the RPS.
    Series,
    /// Number of the RPS.
    Rps,
    /// Number of the note.
    Number,
    /// Verification code.
    Code,
    /// Access key.
    Key,
    /// Protocol of a batch.
    Protocol,
    /// When the note was issued.
    Issued,
    /// When it was cancelled.
    Cancelled,
    /// The moment of the answer.
    Now,
    /// Code, text and correction of a refusal.
    RefusalCode,
    RefusalText,
    RefusalCorrection,
}

impl Fact {
    /// Those a request may say.
    pub const ASKED: [Fact; 7] = [
        Fact::Provider,
        Fact::Series,
        Fact::Rps,
        Fact::Number,
        Fact::Code,
        Fact::Key,
        Fact::Protocol,
    ];

    /// Parts of the names that such a value has in the layouts, the likeliest first.
    pub fn hints(self) -> &'static [&'static str] {
        match self {
            Fact::Provider => &["prest", "emit", "cnpj", "cpf", "doc"],
            Fact::Series => &["serie"],
            Fact::Rps => &["rps", "recibo", "num", "nro", "nr"],
            Fact::Number => &["nfse", "nota", "num", "nro", "nr"],
            Fact::Code => &["verif", "autent", "cod", "chave"],
            Fact::Key => &["chave", "key", "id"],
            Fact::Protocol => &["prot", "lote", "recibo"],
            Fact::Issued | Fact::Cancelled | Fact::Now => &["data", "hora", "dt", "dh"],
            Fact::RefusalCode => &["cod", "erro", "id"],
            Fact::RefusalText => &["mens", "desc", "msg", "text"],
            Fact::RefusalCorrection => &["corr", "solu"],
        }
    }

    /// Place of the first hint in a name; None where it has none.
    pub fn rank(self, name: &str) -> Option<usize> {
        let small = name.to_lowercase();
        self.hints().iter().position(|hint| small.contains(hint))
    }
}

/// Facts of one case or one note.
pub(super) type Facts = BTreeMap<Fact, String>;

/// What a case says of its note.
pub(super) fn of_case(input: &Input, outcome: &Value) -> Facts {
    let content = &input.operation.conteudo;
    let mut facts = Facts::new();
    let mut keep = |fact: Fact, value: Option<&Value>| {
        let text = match value {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            _ => return,
        };
        if !text.is_empty() {
            facts.entry(fact).or_insert(text);
        }
    };
    let emitter = Value::from(input.context.emitente.documento.clone());
    keep(Fact::Provider, Some(&emitter));
    keep(Fact::Now, Some(&Value::from(input.context.now.clone())));
    let rps_alone = input.operation.nome == "consultar-rps";
    for place in ["/identificacao", "/documento/rps", "/rps"] {
        keep(Fact::Series, content.pointer(&format!("{place}/serie")));
        keep(Fact::Rps, content.pointer(&format!("{place}/numero")));
    }
    if rps_alone {
        keep(Fact::Series, content.get("serie"));
        keep(Fact::Rps, content.get("numero"));
    }
    for place in ["/documento", ""] {
        if place.is_empty() && rps_alone {
            continue;
        }
        let at = |name: &str| content.pointer(&format!("{place}/{name}"));
        keep(Fact::Number, at("numero"));
        keep(Fact::Code, at("codigo_verificacao"));
        keep(Fact::Key, at("chave"));
        keep(Fact::Protocol, at("protocolo"));
    }
    let cancelling = input.operation.nome.starts_with("cancelar");
    let document = outcome.pointer("/success/documentos/0");
    let said = |name: &str| document.and_then(|document| document.get(name));
    keep(Fact::Number, said("numero"));
    keep(Fact::Code, said("codigo_verificacao"));
    keep(Fact::Key, said("chave"));
    keep(Fact::Protocol, said("protocolo"));
    keep(Fact::Protocol, outcome.pointer("/success/protocolo"));
    let moment = if cancelling {
        Fact::Cancelled
    } else {
        Fact::Issued
    };
    keep(moment, said("emitido_em"));
    for kind in ["rejected", "credentials"] {
        let at = |name: &str| outcome.pointer(&format!("/failure/reason/{kind}/0/{name}"));
        keep(Fact::RefusalCode, at("codigo"));
        keep(Fact::RefusalText, at("texto"));
        keep(Fact::RefusalCorrection, at("correcao"));
    }
    facts
}

/// Adds what another case says of the same note.
pub(super) fn merge(own: &mut Facts, other: &Facts) {
    let same = |fact: Fact| own.contains_key(&fact) && own.get(&fact) == other.get(&fact);
    let same_rps = same(Fact::Rps) && own.get(&Fact::Series) == other.get(&Fact::Series);
    if !same_rps && !same(Fact::Number) {
        return;
    }
    for fact in Fact::ASKED.into_iter().chain([Fact::Issued]) {
        if let Some(value) = other.get(&fact) {
            own.entry(fact).or_insert_with(|| value.clone());
        }
    }
}

/// A place of a request that says a fact, with what stands around it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reader {
    pub path: String,
    pub nth: usize,
    part: Part,
    rank: usize,
}

/// Which part of a value a fact is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Whole,
    /// What stands between these texts.
    Between(String, String),
    /// The how manieth word of how many: `rps_7_57`.
    Word(usize, usize),
}

impl Reader {
    /// The fact as a live request says it, plain.
    pub fn read(&self, message: &Message) -> Option<String> {
        let value = message.value(&self.path, self.nth)?.trim();
        let value = match &self.part {
            Part::Whole => plain(value),
            Part::Between(before, after) => {
                let rest = value.strip_prefix(before.as_str())?;
                plain(rest.strip_suffix(after.as_str())?)
            }
            Part::Word(at, count) => {
                let words = words(value);
                let known = words.len() == *count;
                plain(words.get(*at).filter(|_| known)?)
            }
        };
        (!value.is_empty()).then_some(value)
    }

    /// The series that stands beside the number of an RPS in one value.
    pub fn beside(&self, message: &Message, series: &str) -> Option<Reader> {
        let Part::Word(number, count) = self.part else {
            return None;
        };
        let words = words(message.value(&self.path, self.nth)?);
        let mut words = words.iter().enumerate();
        let wanted = plain(series);
        let (at, _) = words.find(|(at, word)| *at != number && plain(word) == wanted)?;
        Some(Reader {
            part: Part::Word(at, count),
            ..self.clone()
        })
    }
}

/// Letters and digits between other signs.
fn words(value: &str) -> Vec<&str> {
    let words = value.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
}

/// The places where a recorded request says a fact, the likeliest first.
pub(super) fn readers(message: &Message, fact: Fact, value: &str) -> Vec<Reader> {
    let wanted = plain(value);
    let little = wanted.chars().count() < 3;
    let mut found: Vec<Reader> = Vec::new();
    let segments = message.segments.iter().enumerate().map(|(at, text)| Leaf {
        path: format!("-{}", at + 1),
        value: text.clone(),
        nth: 0,
    });
    for leaf in message.leaves.iter().cloned().chain(segments) {
        // The name of the group counts where the own name says nothing; segments
        // of a path have none.
        let segment = leaf.path.starts_with('-').then_some(40);
        let rank = fact
            .rank(leaf.name())
            .or_else(|| fact.rank(&leaf.path).map(|rank| rank + 10))
            .or(segment);
        let reader = |part: Part, rank: usize| Reader {
            path: leaf.path.clone(),
            nth: leaf.nth,
            part,
            rank,
        };
        if plain(&leaf.value) == wanted {
            match rank {
                Some(rank) => found.push(reader(Part::Whole, rank)),
                None if !little => found.push(reader(Part::Whole, 50)),
                None => {}
            }
            continue;
        }
        if little {
            continue;
        }
        let words = words(&leaf.value);
        let at = words.iter().position(|word| plain(word) == wanted);
        let digits = |text: &str| text.bytes().any(|b| b.is_ascii_digit());
        if let Some(at) = at.filter(|_| words.len() < MAX_WORDS) {
            found.push(reader(Part::Word(at, words.len()), 60));
        } else if let Some((before, after)) = leaf.value.trim().split_once(value)
            && !digits(before)
            && !digits(after)
        {
            let part = Part::Between(before.to_owned(), after.to_owned());
            found.push(reader(part, 70));
        }
    }
    found.sort_by_key(|reader| reader.rank);
    found
}
