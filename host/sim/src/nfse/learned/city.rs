//! One municipal system as its cases show it: its requests, which of them a live
//! one is, and the answers to each.

use std::collections::BTreeMap;

use cassette::Means;

use super::case::{Exchange, Op, Recorded};
use super::facts::{self, Fact, Facts, Reader};
use super::form::{Likeness, says_little};
use super::message::{AUTHORIZATION, Kind, Message, text_of};
use super::scan;
use super::structure::Structure;
use super::template::{Lesson, Template};

/// Likeness in thousandths below which a request without a root of its own is
/// somebody else's.
const ALIKE: u64 = 400;

/// A recorded request.
#[derive(Debug)]
pub(super) struct Sample {
    pub op: Op,
    pub message: Message,
    /// Which segments of its path are always the same, the last one first.
    fixed: Vec<bool>,
    pub readers: BTreeMap<Fact, Vec<Reader>>,
    pub answer: Option<(Means, Template)>,
    pub client_certificate: bool,
}

/// A system.
#[derive(Debug, Default)]
pub(super) struct City {
    pub name: String,
    /// Ends of the host names it is at; none: any.
    hosts: Vec<String>,
    pub samples: Vec<Sample>,
    structures: BTreeMap<Op, Structure>,
    /// How a number, a code, a key and a protocol look.
    pub looks: Facts,
    /// Why its cases do not suffice, a sentence each; none: they do.
    pub lacks: Vec<String>,
}

impl Sample {
    /// How like a live request is, in thousandths of thousandths; None where it
    /// is another service.
    fn likeness(&self, live: &Message) -> Option<u64> {
        let own = &self.message;
        let same = own.method == live.method
            && own.kind == live.kind
            && own.trunk == live.trunk
            && (own.action.is_empty() || own.called() == live.called())
            && own.segments.len() <= live.segments.len();
        let path = own.segments.iter().zip(&live.segments).zip(&self.fixed);
        if !same || path.into_iter().any(|((a, b), fixed)| *fixed && a != b) {
            return None;
        }
        let shared = own.names.intersection(&live.names).count();
        let all = own.names.len() + live.names.len() - shared;
        let structure = thousandths(shared, all);
        let rooted = !own.trunk.is_empty();
        // A login is none of its own: any service may ask for one.
        let mut names = own.names.iter().filter(|name| *name != AUTHORIZATION);
        let named = names.next().is_some() || self.fixed.contains(&true);
        let known = rooted || named && (all == 0 || structure >= ALIKE);
        // What has no structure is known by its path alone.
        if !known || own.kind == Kind::Text && !self.fixed.contains(&true) {
            return None;
        }
        let equal = own
            .leaves
            .iter()
            .filter(|leaf| live.value(&leaf.path, leaf.nth) == Some(leaf.value.as_str()));
        Some(structure * 1_000 + thousandths(equal.count(), own.leaves.len()))
    }

    /// A fact as the live request says it.
    pub fn fact(&self, fact: Fact, live: &Message) -> Option<String> {
        let readers = self.readers.get(&fact).into_iter().flatten();
        readers.into_iter().find_map(|reader| reader.read(live))
    }
}

fn thousandths(part: usize, of: usize) -> u64 {
    if of == 0 {
        return 0;
    }
    u64::try_from(part * 1_000 / of).unwrap_or(0)
}

impl City {
    /// Learns a system from its cases; what cannot be learned goes to `problems`.
    pub fn learn(name: &str, mut cases: Vec<Recorded>, problems: &mut Vec<String>) -> City {
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        complete(&mut cases);
        settle(&mut cases);
        let mut city = City {
            name: name.to_owned(),
            hosts: cases.iter().flat_map(|case| case.hosts.clone()).collect(),
            ..City::default()
        };
        for case in &cases {
            for (fact, value) in &case.facts {
                city.looks.entry(*fact).or_insert_with(|| value.clone());
            }
            for exchange in &case.exchanges {
                let structure = city.structures.entry(exchange.op).or_default();
                structure.learn(&exchange.message);
                let sample = sample(&cases, case, exchange.step, problems);
                city.samples.extend(sample);
            }
        }
        city.agree();
        city.lacks = city.judged();
        problems.extend(city.lacks.iter().cloned());
        city
    }

    /// Whether the system may be at a host: one of its own, or a name below it.
    pub fn is_at(&self, host: &str) -> bool {
        let below = |own: &String| {
            let above = host.strip_suffix(own.as_str());
            above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        };
        self.hosts.is_empty() || self.hosts.iter().any(below)
    }

    /// The recorded request that a live one is most like.
    pub fn recognize(&self, live: &Message) -> Option<(u64, usize)> {
        let samples = self.samples.iter().enumerate();
        let alike = samples.filter_map(|(at, sample)| Some((sample.likeness(live)?, at)));
        alike.max_by_key(|(likeness, at)| (*likeness, std::cmp::Reverse(*at)))
    }

    pub fn structure(&self, op: Op) -> Option<&Structure> {
        self.structures.get(&op)
    }

    /// The answer of this meaning to the request that is most like a live one.
    pub fn template(&self, op: Op, means: Means, live: &Message) -> Option<&Template> {
        let mut best: Option<(u64, &Template)> = None;
        for (likeness, template) in self.templates(op, means, live) {
            let likeness = likeness.unwrap_or(0);
            if best.is_none_or(|(known, _)| likeness > known) {
                best = Some((likeness, template));
            }
        }
        best.map(|(_, template)| template)
    }

    /// Whether the service of a live request ever answers so: a situation and a
    /// batch are asked for with two.
    pub fn service_answers(&self, op: Op, means: Means, live: &Message) -> bool {
        let mut known = self.templates(op, means, live);
        known.any(|(likeness, _)| likeness.is_some())
    }

    /// Answers of this meaning; without likeness where another service gives it.
    fn templates<'c>(
        &'c self,
        op: Op,
        means: Means,
        live: &Message,
    ) -> impl Iterator<Item = (Option<u64>, &'c Template)> {
        let of_op = self.samples.iter().filter(move |sample| sample.op == op);
        of_op.filter_map(move |sample| match &sample.answer {
            Some((own, template)) if *own == means => Some((sample.likeness(live), template)),
            _ => None,
        })
    }

    /// The same of any operation.
    pub fn template_of_any(&self, means: Means, live: &Message) -> Option<&Template> {
        let ops = [
            Op::Issue,
            Op::QueryBatch,
            Op::Query,
            Op::Cancel,
            Op::Replace,
        ];
        ops.into_iter()
            .find_map(|op| self.template(op, means, live))
    }

    /// Whether an operation of the system ever answers so.
    pub fn answers(&self, op: Op, means: Means) -> bool {
        self.samples.iter().any(|sample| {
            sample.op == op && sample.answer.as_ref().is_some_and(|(own, _)| *own == means)
        })
    }

    /// Puts first the places of a fact in which most requests of the operation
    /// agree.
    fn agree(&mut self) {
        let mut votes: BTreeMap<(Op, Fact, String, usize), usize> = BTreeMap::new();
        let key = |op: Op, fact: Fact, reader: &Reader| (op, fact, reader.path.clone(), reader.nth);
        for sample in &self.samples {
            for (fact, readers) in &sample.readers {
                for reader in readers {
                    *votes.entry(key(sample.op, *fact, reader)).or_default() += 1;
                }
            }
        }
        for sample in &mut self.samples {
            for (fact, readers) in &mut sample.readers {
                let votes = |reader: &Reader| votes.get(&key(sample.op, *fact, reader)).copied();
                readers.sort_by_key(|reader| std::cmp::Reverse(votes(reader)));
            }
        }
    }

    /// What its cases must show and do not.
    fn judged(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let issues = || self.samples.iter().filter(|sample| sample.op == Op::Issue);
        let says = |sample: &Sample| {
            sample
                .readers
                .get(&Fact::Rps)
                .is_some_and(|r| !r.is_empty())
        };
        if self.looks.contains_key(&Fact::Rps) && issues().next().is_some() && !issues().any(says) {
            problems.push(format!(
                "{}: the number of the RPS stands in no request that issues",
                self.name
            ));
        }
        let missing = |means: &[Means]| {
            let answers = self
                .samples
                .iter()
                .filter_map(|sample| sample.answer.as_ref());
            !answers.into_iter().any(|(own, _)| means.contains(own))
        };
        // A batch without protocol is asked about as a note.
        let found_later = !missing(&[Means::Queued]) && !missing(&[Means::Found]);
        if missing(&[Means::Issued]) && !found_later {
            problems.push(format!("{}: no answer means issued", self.name));
        }
        if missing(&[Means::Refused]) {
            problems.push(format!("{}: no answer means refused", self.name));
        }
        let refused = self
            .samples
            .iter()
            .filter_map(|sample| match &sample.answer {
                Some((Means::Refused, template)) => Some(template),
                _ => None,
            });
        let mut refused = refused.peekable();
        if refused.peek().is_some() && !refused.any(|template| template.says(Fact::RefusalText)) {
            problems.push(format!(
                "{}: no refused answer has the text that its outcome has",
                self.name
            ));
        }
        problems
    }
}

/// A request whose answer does not tell its operation has that of a request of
/// the same structure whose answer does.
fn settle(cases: &mut [Recorded]) {
    let all = || cases.iter().flat_map(|case| &case.exchanges);
    let certain_op = |wanted: &Message| {
        let same = |known: &Message| {
            known.method == wanted.method
                && known.trunk == wanted.trunk
                && known.action == wanted.action
                && known.names == wanted.names
        };
        let mut certain = all().filter(|exchange| exchange.certain);
        certain
            .find(|exchange| same(&exchange.message))
            .map(|exchange| exchange.op)
    };
    let ops: Vec<Op> = all()
        .map(|exchange| match exchange.certain {
            true => exchange.op,
            false => certain_op(&exchange.message).unwrap_or(exchange.op),
        })
        .collect();
    let exchanges = cases.iter_mut().flat_map(|case| &mut case.exchanges);
    exchanges
        .zip(ops)
        .for_each(|(exchange, op)| exchange.op = op);
}

/// What cases say of the same note is known to each of them.
fn complete(cases: &mut [Recorded]) {
    let known: Vec<Facts> = cases.iter().map(|case| case.facts.clone()).collect();
    // Twice: a number leads to an RPS, the RPS to a code.
    for _ in 0..2 {
        for case in cases.iter_mut() {
            known
                .iter()
                .for_each(|other| facts::merge(&mut case.facts, other));
        }
    }
}

/// The request that issued the note of a case: its own, or that of another case,
/// of which the answer shows most.
fn issue<'c>(
    cases: &'c [Recorded],
    case: &'c Recorded,
    exchange: &Exchange,
) -> Option<&'c Message> {
    let issued = |case: &'c Recorded, before: u32| {
        let exchanges = case.exchanges.iter();
        let found = exchanges
            .take_while(|exchange| exchange.step < before)
            .find(|exchange| matches!(exchange.op, Op::Issue | Op::Replace))?;
        Some(&found.message)
    };
    let same = |fact: Fact, other: &Recorded| {
        case.facts.contains_key(&fact) && case.facts.get(&fact) == other.facts.get(&fact)
    };
    let note = |other: &&Recorded| {
        let number = same(Fact::Number, other);
        let rps = same(Fact::Rps, other) && same(Fact::Series, other);
        let answers = other.exchanges.iter().filter_map(|e| e.answer.as_ref());
        let issued = |(means, _): &(Means, _)| matches!(means, Means::Issued | Means::Queued);
        (number || rps) && answers.into_iter().any(issued)
    };
    issued(case, exchange.step).or_else(|| {
        let others = cases.iter().filter(note);
        let mut messages: Vec<&Message> = Vec::new();
        for message in others.filter_map(|other| issued(other, u32::MAX)) {
            if !messages.iter().any(|known| known.leaves == message.leaves) {
                messages.push(message);
            }
        }
        let (_, response) = exchange.answer.as_ref()?;
        shown_most(&text_of(&response.body), &messages)
    })
}

/// The first of the requests of whose values an answer shows most.
fn shown_most<'c>(answer: &str, messages: &[&'c Message]) -> Option<&'c Message> {
    if messages.len() < 2 {
        return messages.first().copied();
    }
    let shown = scan::places(answer);
    let shown = shown.iter().filter(|place| !says_little(&place.value));
    let shown: Vec<Likeness> = shown.map(|place| Likeness::of(&place.value)).collect();
    let count = |message: &Message| {
        let leaves = message.leaves.iter();
        let leaves: Vec<Likeness> = leaves.map(|leaf| Likeness::of(&leaf.value)).collect();
        let said = |value: &&Likeness| leaves.iter().any(|leaf| leaf.may_be(value));
        shown.iter().filter(said).count()
    };
    // The last of the greatest is given.
    let messages = messages.iter().rev();
    messages.max_by_key(|message| count(message)).copied()
}

/// A series that stands nowhere but beside the number of the RPS.
fn beside(readers: &mut BTreeMap<Fact, Vec<Reader>>, message: &Message, facts: &Facts) {
    let rps = readers
        .get(&Fact::Rps)
        .and_then(|places| places.first())
        .cloned();
    let series = facts.get(&Fact::Series);
    let places = readers.entry(Fact::Series).or_default();
    if let Some((rps, series)) = rps.zip(series)
        && places.is_empty()
    {
        places.extend(rps.beside(message, series));
    }
}

/// Which segments of a path hold nothing that the case says of its note or its
/// input has: a number, a series, a document, a reason.
fn fixed(message: &Message, readers: &BTreeMap<Fact, Vec<Reader>>, inputs: &[String]) -> Vec<bool> {
    let values: Vec<&Reader> = readers.values().flatten().collect();
    let segments = message.segments.iter().enumerate();
    let fixed = segments.map(|(at, segment)| {
        let place = format!("-{}", at + 1);
        let said = values.iter().any(|reader| reader.path == place);
        !said && !inputs.contains(segment)
    });
    fixed.collect()
}

fn sample(
    cases: &[Recorded],
    case: &Recorded,
    step: u32,
    problems: &mut Vec<String>,
) -> Option<Sample> {
    let exchange = case
        .exchanges
        .iter()
        .find(|exchange| exchange.step == step)?;
    let message = &exchange.message;
    let mut readers = BTreeMap::new();
    for fact in Fact::ASKED {
        if let Some(value) = case.facts.get(&fact) {
            readers.insert(fact, facts::readers(message, fact, value));
        }
    }
    beside(&mut readers, message, &case.facts);
    let named = |text: String| format!("{}: {} step {step}: {text}", case.city, case.name);
    let fixed = fixed(message, &readers, &case.inputs);
    // A login is about no note.
    let alone = matches!(exchange.op, Op::Issue | Op::Replace | Op::Session);
    let earlier = (!alone).then(|| issue(cases, case, exchange)).flatten();
    let lesson = Lesson::new(message, earlier, &case.facts, &case.inputs);
    let mut unclear = Vec::new();
    let answer = exchange
        .answer
        .as_ref()
        .map(|(means, response)| (*means, Template::learn(response, &lesson, &mut unclear)));
    problems.extend(unclear.into_iter().map(named));
    Some(Sample {
        op: exchange.op,
        message: message.clone(),
        fixed,
        readers,
        answer,
        client_certificate: exchange.request.client_certificate,
    })
}
