//! Which of the numbers of a text is the key of the note.

use std::collections::HashMap;

use crate::danfe::read::damaged::{self, MAX_BETWEEN};
use crate::danfe::read::page::Stretch;
use markup::ids::chave::digit;

/// Positions of a key.
const SIZE: usize = 44;
/// Different keys that are remembered.
const MAX_CANDIDATES: usize = 40;

/// A text of 44 positions with the structure of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub chave: String,
    pub dv_matches: bool,
    points: i32,
    place: Place,
}

/// Where something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Below the caption of a key.
    captioned: bool,
    /// "NF-e referenciada: …" is somebody else's key.
    referred: bool,
    /// How far down the first page, as it is seen; the most anywhere else.
    at: usize,
}

impl Place {
    fn join(&mut self, other: Place) {
        self.captioned |= other.captioned;
        self.referred |= other.referred;
        self.at = self.at.min(other.at);
    }
}

impl Candidate {
    pub fn model(&self) -> &str {
        self.chave.get(20..22).unwrap_or("")
    }

    /// Of an NF-e or NFC-e.
    pub fn of_nota(&self) -> bool {
        matches!(self.model(), "55" | "65")
    }
}

/// Keys of all pages, each once.
#[derive(Default)]
pub(super) struct Candidates {
    all: Vec<Candidate>,
    index: HashMap<String, usize>,
    /// What looks like a key that was damaged, in both readings of a page.
    damaged: Vec<(String, Place)>,
    /// Model of the transport whose paper it is.
    transport: Option<&'static str>,
}

/// One of the two readings of a page.
#[derive(Clone, Copy)]
struct Reading<'t> {
    text: &'t str,
    compact: &'t str,
    first: bool,
    /// Line by line; else as it was drawn.
    seen: bool,
}

impl Reading<'_> {
    /// Where something stands that begins there, after the key that ends there.
    fn place(&self, after: usize, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or("");
        let near = end_of(before, 70).to_ascii_lowercase();
        // A caption is of the first key after it.
        let caption = end_of(before.get(after..).unwrap_or(""), 160);
        Place {
            captioned: caption.to_ascii_lowercase().contains("chave"),
            referred: near.contains("refer"),
            at: if self.first && self.seen {
                at
            } else {
                usize::MAX
            },
        }
    }
}

impl Candidates {
    /// Looks through a page: as drawn, and line by line as it is seen.
    pub fn page(&mut self, stretches: &[Stretch], first: bool) {
        let drawn = join(stretches.iter());
        let seen = lines(stretches);
        let compact = compacted(&drawn);
        if first {
            let models = titled(&compacted(&seen)).unwrap_or(&["55"]);
            self.transport = models.first().copied().filter(|model| *model != "55");
        }
        let reading = |text, seen| Reading {
            text,
            compact: &compact,
            first,
            seen,
        };
        let (drawn, seen) = (reading(&drawn, false), reading(&seen, true));
        let drawn_damaged = damaged::all(drawn.text, &self.search(drawn));
        let seen_damaged = damaged::all(seen.text, &self.search(seen));
        // What only one of the readings has is two things it put together.
        for (text, at, after) in seen_damaged {
            if let Some((_, drawn_at, drawn_after)) =
                drawn_damaged.iter().find(|(drawn, ..)| *drawn == text)
                && self.damaged.len() < MAX_CANDIDATES
            {
                let mut place = seen.place(after, at);
                place.join(drawn.place(*drawn_after, *drawn_at));
                self.damaged.push((text, place));
            }
        }
    }

    /// Counts the keys of a reading; where each begins and ends.
    fn search(&mut self, reading: Reading<'_>) -> Vec<(usize, usize)> {
        let text = reading.text;
        let bytes = text.as_bytes();
        let (mut at, mut previous) = (0, 0);
        let mut found = Vec::new();
        while at < bytes.len() {
            let Some(end) = starts(bytes, at).then(|| run(bytes, at)).flatten() else {
                at += 1;
                continue;
            };
            let chave = clean(bytes.get(at..end).unwrap_or(&[]));
            if !exists(&chave) {
                at += 1;
                continue;
            }
            let place = reading.place(previous, at);
            self.count(chave, place, reading);
            found.push((at, end));
            (at, previous) = (end, end);
        }
        found
    }

    fn count(&mut self, chave: String, place: Place, reading: Reading<'_>) {
        let (compact, first) = (reading.compact, reading.first);
        let mut points = 1;
        if place.captioned {
            points += 20;
        }
        if place.referred {
            points -= 40;
        }
        if first {
            points += 5;
        }
        match self.index.get(&chave) {
            Some(at) => {
                if let Some(candidate) = self.all.get_mut(*at) {
                    // Seen twice on each page that shows it: both readings.
                    candidate.points = candidate.points.max(points) + 1;
                    candidate.place.join(place);
                }
            }
            None if self.all.len() < MAX_CANDIDATES => {
                // The issuer and the number stand elsewhere on the page, too.
                let emitter = chave.get(6..20).unwrap_or("");
                let outside = compact.matches(emitter).count();
                let within = compact.matches(&*chave).count();
                if outside > within {
                    points += 15;
                }
                let number = chave.get(25..34).unwrap_or("");
                if compact.matches(number).count() > within {
                    points += 10;
                }
                let dv = chave.get(..43).map(|base| digit(base.as_bytes()));
                let given = chave.bytes().last().map(|b| b - b'0');
                if dv == given {
                    points += 12;
                }
                if titled(compact)
                    .is_some_and(|models| models.contains(&chave.get(20..22).unwrap_or("")))
                {
                    points += 30;
                }
                self.index.insert(chave.clone(), self.all.len());
                self.all.push(Candidate {
                    dv_matches: dv == given,
                    chave,
                    points,
                    place,
                });
            }
            None => {}
        }
    }

    /// The key that the paper shows as its own. A paper also names others: a
    /// transport its notes, a return the note of the sale. So neither a right
    /// check digit nor a note's model decides alone.
    pub fn best(&self) -> Option<&Candidate> {
        self.all
            .iter()
            .rev()
            .max_by_key(|candidate| (candidate.points, candidate.dv_matches, candidate.of_nota()))
    }

    /// Model of the transport whose paper this is: a note's key on it is another
    /// document's.
    pub fn transport(&self) -> Option<&'static str> {
        self.transport
    }

    /// A key that cannot be read stands where a paper prints its own: above this
    /// one, or below the caption that this one has not.
    pub fn hidden_by_damage(&self, best: &Candidate) -> bool {
        let wrong = self.all.iter().filter(|candidate| !candidate.dv_matches);
        let wrong = wrong.map(|candidate| (&candidate.chave, candidate.place));
        let mut damaged = self
            .damaged
            .iter()
            .map(|(text, place)| (text, *place))
            .chain(wrong);
        damaged.any(|(text, place)| {
            let above = place.at < best.place.at;
            let named = place.captioned && !best.place.captioned;
            !place.referred && (above || named) && !damaged::nearly(text, &best.chave)
        })
    }

    /// There is no key, and something that was one.
    pub fn only_damage(&self) -> bool {
        self.all.is_empty() && self.damaged.iter().any(|(_, place)| place.captioned)
    }
}

/// Models of the document whose paper has this title; the first one counts: a
/// note may name the paper of its transport.
fn titled(text: &str) -> Option<&'static [&'static str]> {
    let titles: [(&str, &[&str]); 3] = [
        ("DACTE", &["57", "67"]),
        ("DAMDFE", &["58"]),
        ("DANFE", &["55", "65"]),
    ];
    let text = text.to_ascii_uppercase();
    let found = titles
        .into_iter()
        .filter_map(|(title, models)| Some((text.find(title)?, models)));
    found.min_by_key(|(at, _)| *at).map(|(_, models)| models)
}

/// May a key begin here? Not within a longer word or number, but after `NFe`.
fn starts(bytes: &[u8], at: usize) -> bool {
    if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let before = bytes.get(at.saturating_sub(3)..at).unwrap_or(&[]);
    match before.last() {
        Some(b) if b.is_ascii_alphanumeric() => before.eq_ignore_ascii_case(b"NFe"),
        _ => true,
    }
}

/// Where 44 positions from here end; none if something else comes between.
fn run(bytes: &[u8], from: usize) -> Option<usize> {
    let mut positions = 0;
    let mut between = 0;
    let mut at = from;
    while positions < SIZE {
        let byte = *bytes.get(at)?;
        let serve = match positions {
            6..18 => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            _ => byte.is_ascii_digit(),
        };
        if serve {
            positions += 1;
            between = 0;
        } else if damaged::joins(byte) {
            between += 1;
            if between > MAX_BETWEEN {
                return None;
            }
        } else {
            return None;
        }
        at += 1;
    }
    // Not the beginning of a longer number.
    match bytes.get(at) {
        Some(b) if b.is_ascii_alphanumeric() => None,
        _ => Some(at),
    }
}

fn clean(bytes: &[u8]) -> String {
    bytes
        .iter()
        .filter(|b| b.is_ascii_alphanumeric())
        .map(|b| char::from(*b))
        .collect()
}

/// State, month and model are such as exist.
fn exists(chave: &str) -> bool {
    let number = |from: usize, to: usize| -> u8 {
        chave
            .get(from..to)
            .and_then(|t| t.parse().ok())
            .unwrap_or(0)
    };
    chave.len() == SIZE
        && data::ufs::by_code(number(0, 2)).is_some()
        && (1..=12).contains(&number(4, 6))
        && matches!(number(20, 22), 55 | 57..=59 | 62..=67)
}

/// Letters and digits alone.
fn compacted(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric()).collect()
}

fn end_of(text: &str, count: usize) -> &str {
    let mut from = text.len().saturating_sub(count);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or("")
}

fn join<'t>(stretches: impl Iterator<Item = &'t Stretch>) -> String {
    let mut out = String::new();
    for stretch in stretches {
        out.push_str(&stretch.text);
        out.push('\n');
    }
    out
}

/// The text as it is seen: pieces of the same height are one line.
pub(super) fn lines(stretches: &[Stretch]) -> String {
    // Along the writing, and down the page.
    let place = |stretch: &Stretch| match stretch.direction {
        0 => (stretch.x, -stretch.y),
        1 => (stretch.y, stretch.x),
        2 => (-stretch.x, stretch.y),
        _ => (-stretch.y, -stretch.x),
    };
    let mut order: Vec<(u8, f32, f32, &Stretch)> = stretches
        .iter()
        .map(|stretch| {
            let (along, below) = place(stretch);
            (stretch.direction, below, along, stretch)
        })
        .collect();
    order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut out = String::new();
    let mut rest = &mut order[..];
    while let Some(first) = rest.first() {
        let (direction, height) = (first.0, first.1);
        // Two points are less than the leading of the smallest print.
        let count = rest
            .iter()
            .take_while(|one| one.0 == direction && one.1 - height < 2.0)
            .count()
            .max(1);
        let (line, after) = rest.split_at_mut(count);
        line.sort_by(|a, b| a.2.total_cmp(&b.2));
        for one in line.iter() {
            out.push_str(&one.3.text);
            out.push(' ');
        }
        out.push('\n');
        rest = after;
    }
    out
}
