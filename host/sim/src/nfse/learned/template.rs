//! A recorded answer, and which of its values come from elsewhere.
//!
//! Rules for a value of the answer, the first that holds:
//! 1. the element of the same name in the request, or in the request that issued
//!    the note, says the same;
//! 2. it is a fact that the city gives: number, code, protocol, times, refusal;
//! 3. an element of another name in the request (then of the issuing one) says
//!    the same, unless the value is so short or round that this means nothing;
//! 4. it is the RPS or the provider;
//! 5. parts of it are such values: an address with the code in it;
//! 6. it stays as it was recorded.

use super::facts::{Fact, Facts};
use super::form::{Form, Likeness, says_little};
use super::message::{Message, text_of};
use super::scan::{self, Layer, Place, wrapped};
use crate::request::Answer;
use cassette::Response;

/// Shortest value that is looked for inside another one.
const MIN_PART: usize = 3;
/// The same for values of a request.
const MIN_PART_OF_REQUEST: usize = 8;
/// Most values of the request that are looked for inside others.
const MAX_PARTS: usize = 200;

/// Facts of which the city decides.
const CITY: [Fact; 10] = [
    Fact::Number,
    Fact::Code,
    Fact::Key,
    Fact::Protocol,
    Fact::RefusalCode,
    Fact::RefusalText,
    Fact::RefusalCorrection,
    Fact::Cancelled,
    Fact::Issued,
    Fact::Now,
];
/// Facts that a request said.
const ASKED: [Fact; 3] = [Fact::Rps, Fact::Series, Fact::Provider];

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq)]
enum Source {
    /// This request: path and how manieth.
    Request(String, usize),
    /// The request that issued the note.
    Issue(String, usize),
    Fact(Fact),
}

#[derive(Debug, Clone)]
enum Piece {
    Literal(String),
    Value {
        source: Source,
        form: Form,
        recorded: String,
    },
}

#[derive(Debug, Clone)]
struct Slot {
    span: (usize, usize),
    layers: Vec<Layer>,
    pieces: Vec<Piece>,
}

/// An answer to be filled.
#[derive(Debug, Clone)]
pub(super) struct Template {
    status: u16,
    headers: Vec<(String, String)>,
    text: String,
    latin: bool,
    slots: Vec<Slot>,
}

/// What an answer is learned from.
pub(super) struct Lesson<'l> {
    request: &'l Message,
    /// The request that issued the note, where it is another one.
    issue: Option<&'l Message>,
    facts: &'l Facts,
    /// Values of the case's input, each as often as it stands there.
    inputs: &'l [String],
    /// The values of both requests.
    own: Vec<Likeness>,
    earlier: Vec<Likeness>,
}

/// What an answer is filled with.
pub(super) struct Filling<'f> {
    pub request: &'f Message,
    /// Values of the request that issued the note, by path and number.
    pub issue: &'f dyn Fn(&str, usize) -> Option<String>,
    pub facts: Facts,
}

impl Template {
    /// Learns an answer; what cannot be decided goes to `problems`.
    pub fn learn(response: &Response, lesson: &Lesson<'_>, problems: &mut Vec<String>) -> Template {
        let text = text_of(&response.body);
        let found = scan::places(&text);
        let slots = found.iter().filter_map(|place| {
            let pieces = lesson.pieces(place, problems)?;
            Some(Slot {
                span: place.span,
                layers: place.layers.clone(),
                pieces,
            })
        });
        let slots = slots.collect();
        let kept = |name: &str| {
            ![
                "content-length",
                "transfer-encoding",
                "content-encoding",
                "date",
            ]
            .contains(&name.to_ascii_lowercase().as_str())
        };
        let headers = response.headers.iter();
        Template {
            status: response.status,
            headers: headers.filter(|(name, _)| kept(name)).cloned().collect(),
            latin: std::str::from_utf8(&response.body).is_err(),
            slots,
            text,
        }
    }

    /// Whether this fact is said in it.
    pub fn says(&self, fact: Fact) -> bool {
        let pieces = self.slots.iter().flat_map(|slot| &slot.pieces);
        pieces.into_iter().any(
            |piece| matches!(piece, Piece::Value { source: Source::Fact(known), .. } if *known == fact),
        )
    }

    pub fn fill(&self, filling: &Filling<'_>) -> Answer {
        let mut text = String::with_capacity(self.text.len() + 256);
        let mut at = 0;
        for slot in &self.slots {
            let (from, to) = slot.span;
            if from < at {
                continue;
            }
            text += self.text.get(at..from).unwrap_or_default();
            let value: String = slot
                .pieces
                .iter()
                .map(|piece| piece.text(filling))
                .collect();
            text += &wrapped(&value, &slot.layers);
            at = to;
        }
        text += self.text.get(at..).unwrap_or_default();
        let body = if self.latin {
            let byte = |c: char| u8::try_from(u32::from(c)).unwrap_or(b'?');
            text.chars().map(byte).collect()
        } else {
            text.into_bytes()
        };
        Answer {
            status: self.status,
            headers: self.headers.clone(),
            body,
        }
    }
}

impl Piece {
    fn text(&self, filling: &Filling<'_>) -> String {
        let (source, form, recorded) = match self {
            Piece::Literal(text) => return text.clone(),
            Piece::Value {
                source,
                form,
                recorded,
            } => (source, form, recorded),
        };
        let value = match source {
            Source::Request(path, nth) => filling.request.value(path, *nth).map(str::to_owned),
            Source::Issue(path, nth) => (filling.issue)(path, *nth),
            Source::Fact(fact) => filling.facts.get(fact).cloned(),
        };
        match (value, source) {
            (Some(value), _) => form.write(&value).unwrap_or(value),
            // What the live request left out is left out of the answer.
            (None, Source::Request(..) | Source::Issue(..)) => String::new(),
            (None, Source::Fact(_)) => recorded.clone(),
        }
    }
}

impl<'l> Lesson<'l> {
    pub fn new(
        request: &'l Message,
        issue: Option<&'l Message>,
        facts: &'l Facts,
        inputs: &'l [String],
    ) -> Self {
        let values = |message: &Message| {
            let leaves = message.leaves.iter();
            leaves.map(|leaf| Likeness::of(&leaf.value)).collect()
        };
        Lesson {
            request,
            issue,
            facts,
            inputs,
            own: values(request),
            earlier: issue.map(values).unwrap_or_default(),
        }
    }

    /// What a value is made of; None: it stays as it is.
    fn pieces(&self, place: &Place, problems: &mut Vec<String>) -> Option<Vec<Piece>> {
        let exact = self.exact(place, problems);
        if let Some((source, form)) = exact {
            return Some(vec![Piece::Value {
                source,
                form,
                recorded: place.value.clone(),
            }]);
        }
        self.parts(&place.value)
    }

    fn exact(&self, place: &Place, problems: &mut Vec<String>) -> Option<(Source, Form)> {
        let little = says_little(&place.value);
        let mut others: Vec<(Source, Form, &str, &str)> = Vec::new();
        let wanted = Likeness::of(&place.value);
        let sides = [
            (Some(self.request), &self.own, true),
            (self.issue, &self.earlier, false),
        ];
        for (message, likely, own) in sides {
            let leaves = message.into_iter().flat_map(|message| &message.leaves);
            for (leaf, likeness) in leaves.zip(likely) {
                if !likeness.may_be(&wanted) {
                    continue;
                }
                let Some(form) = Form::between(&leaf.value, &place.value) else {
                    continue;
                };
                let at = (leaf.path.clone(), leaf.nth);
                let source = if own {
                    Source::Request(at.0, at.1)
                } else {
                    Source::Issue(at.0, at.1)
                };
                if leaf.name().eq_ignore_ascii_case(&place.name) {
                    return Some((source, form));
                }
                others.push((source, form, leaf.name(), &leaf.value));
            }
        }
        if let Some(found) = self.fact(&CITY, place, little) {
            return Some(found);
        }
        if !little && let Some((source, form, name, value)) = others.first() {
            let another = others.iter().find(|other| other.2 != *name);
            let twice = self.inputs.iter().filter(|input| *input == value).count() > 1;
            if let Some(another) = another.filter(|_| twice) {
                problems.push(format!(
                    "{} says the same as {name} and {} of the request: make the values distinct",
                    place.path, another.2
                ));
            }
            return Some((source.clone(), form.clone()));
        }
        self.fact(&ASKED, place, little)
    }

    fn fact(&self, facts: &[Fact], place: &Place, little: bool) -> Option<(Source, Form)> {
        facts.iter().find_map(|fact| {
            let form = Form::between(self.facts.get(fact)?, &place.value)?;
            let meant = !little || fact.rank(&place.name).is_some();
            meant.then_some((Source::Fact(*fact), form))
        })
    }

    /// Values inside another one, the longest first.
    fn parts(&self, value: &str) -> Option<Vec<Piece>> {
        let mut known: Vec<(Source, &str)> = Vec::new();
        for fact in CITY.iter().take(7).chain(&ASKED) {
            if let Some(text) = self
                .facts
                .get(fact)
                .filter(|t| t.chars().count() >= MIN_PART)
            {
                known.push((Source::Fact(*fact), text));
            }
        }
        let long = |text: &str| (MIN_PART_OF_REQUEST..1_000).contains(&text.len());
        let leaves = self.request.leaves.iter().filter(|leaf| long(&leaf.value));
        for leaf in leaves.take(MAX_PARTS) {
            known.push((Source::Request(leaf.path.clone(), leaf.nth), &leaf.value));
        }
        known.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
        let mut pieces = vec![Piece::Literal(value.to_owned())];
        for (source, text) in known {
            pieces = pieces
                .into_iter()
                .flat_map(|piece| match piece {
                    Piece::Literal(literal) => split(&literal, text, &source),
                    value => vec![value],
                })
                .collect();
        }
        let changed = pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Value { .. }));
        changed.then_some(pieces)
    }
}

/// A text with `value` taken out wherever it stands as a word of its own.
fn split(literal: &str, value: &str, source: &Source) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = literal;
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find(value)) {
        let (start, end) = (from + at, from + at + value.len());
        let before = rest.get(..start).and_then(|text| text.chars().last());
        let after = rest.get(end..).and_then(|text| text.chars().next());
        let edge = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
            (Some(a), Some(b)) => a.is_ascii_digit() != b.is_ascii_digit() || !b.is_alphanumeric(),
            _ => true,
        };
        let alone = edge(value.chars().next(), before) && edge(value.chars().last(), after);
        if !alone {
            from = end;
            continue;
        }
        pieces.push(Piece::Literal(
            rest.get(..start).unwrap_or_default().to_owned(),
        ));
        pieces.push(Piece::Value {
            source: source.clone(),
            form: Form::Same,
            recorded: value.to_owned(),
        });
        rest = rest.get(end..).unwrap_or_default();
        from = 0;
    }
    pieces.push(Piece::Literal(rest.to_owned()));
    pieces
}
