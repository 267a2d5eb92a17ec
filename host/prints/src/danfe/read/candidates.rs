//! Which of the numbers of a text is the key of the note.

use std::collections::HashMap;

use crate::danfe::read::page::Stretch;
use markup::ids::chave::digito;

/// Positions of a key.
const SIZE: usize = 44;
/// Characters between two positions of a key: blanks, dots, a line end.
const MAX_BETWEEN: usize = 3;
/// Different keys that are remembered.
const MAX_CANDIDATES: usize = 40;

/// A text of 44 positions with the structure of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub chave: String,
    pub dv_matches: bool,
    points: i32,
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
}

impl Candidates {
    /// Looks through a page: as drawn, and line by line as it is seen.
    pub fn page(&mut self, stretches: &[Stretch], first: bool) {
        let drawn = join(stretches.iter());
        let seen = lines(stretches);
        let compact: String = drawn
            .chars()
            .filter(|c| c.is_ascii_alphanumeric())
            .collect();
        for text in [&drawn, &seen] {
            self.search(text, &compact, first);
        }
    }

    fn search(&mut self, text: &str, compact: &str, first: bool) {
        let bytes = text.as_bytes();
        let (mut at, mut previous) = (0, 0);
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
            let before = text.get(..at).unwrap_or("");
            // A caption is of the first key after it.
            let caption = before.get(previous..).unwrap_or("");
            self.count(chave, (before, caption), compact, first);
            (at, previous) = (end, end);
        }
    }

    fn count(
        &mut self,
        chave: String,
        (before, caption): (&str, &str),
        compact: &str,
        first: bool,
    ) {
        let mut points = 1;
        let near = end_of(before, 160).to_ascii_lowercase();
        if end_of(caption, 160).to_ascii_lowercase().contains("chave") {
            points += 20;
        }
        // "NF-e referenciada: …" is somebody else's key.
        if end_of(&near, 70).contains("refer") {
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
                let dv = chave.get(..43).map(|base| digito(base.as_bytes()));
                let given = chave.bytes().last().map(|b| b - b'0');
                if dv == given {
                    points += 12;
                }
                if title(compact)
                    .is_some_and(|models| models.contains(&chave.get(20..22).unwrap_or("")))
                {
                    points += 30;
                }
                self.index.insert(chave.clone(), self.all.len());
                self.all.push(Candidate {
                    dv_matches: dv == given,
                    chave,
                    points,
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
}

/// Models of the document whose paper has this title.
fn title(compact: &str) -> Option<&'static [&'static str]> {
    let titles: [(&str, &[&str]); 3] = [
        ("DACTE", &["57", "67"]),
        ("DAMDFE", &["58"]),
        ("DANFE", &["55", "65"]),
    ];
    let compact = compact.to_ascii_uppercase();
    let found = titles
        .into_iter()
        .find(|(title, _)| compact.contains(title));
    found.map(|(_, models)| models)
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
        } else if matches!(
            byte,
            b' ' | b'.' | b'-' | b'/' | b'\n' | b'\r' | b'\t' | 0xA0 | 0xC2
        ) {
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
        && data::ufs::por_codigo(number(0, 2)).is_some()
        && (1..=12).contains(&number(4, 6))
        && matches!(number(20, 22), 55 | 57..=59 | 62..=67)
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
