//! Which products of an edition are looked at for a query, by their words alone,
//! and how well a name answers it.

use crate::similar::postings::Entry;
use crate::similar::words::{alike, number, ratio, words};

/// Products whose names are read for a query.
pub(super) const READ: usize = 200;
/// A product that has only the second rarest word is looked at, too, when the
/// rarest word has fewer products than this.
const FEW: usize = 1_000;
/// Words of a query that a name must have, by weight.
const ENOUGH: f64 = 0.5;
/// How alike two words are that count as the same one misspelled.
const MISSPELLED: f64 = 0.5;

/// A product that has words of the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub place: u32,
    /// How many words its name has.
    size: u8,
    /// Weights of the words of the query that it has.
    weight: f64,
}

/// The products of one word of the query, by place: the word itself, or those it
/// may be a misspelling of with their weights.
pub(super) fn of_word(postings: &[(f64, Vec<Entry>)]) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for (weight, entries) in postings {
        all.extend(entries.iter().map(|entry| Candidate {
            place: entry.place,
            size: entry.size,
            weight: *weight,
        }));
    }
    if postings.len() > 1 {
        all.sort_by(|a, b| a.place.cmp(&b.place).then(b.weight.total_cmp(&a.weight)));
        all.dedup_by_key(|candidate| candidate.place);
    }
    all
}

/// Joins the products of all words of a query, the rarest first; the best of
/// them, at most [`READ`].
pub(super) fn best(mut of_words: Vec<Vec<Candidate>>, query_words: usize) -> Vec<u32> {
    of_words.retain(|products| !products.is_empty());
    of_words.sort_by_key(Vec::len);
    let mut joined: Vec<Candidate> = Vec::new();
    for (turn, products) in of_words.into_iter().enumerate() {
        joined = match turn {
            0 => products,
            _ => merged(&joined, &products, turn == 1 && joined.len() < FEW),
        };
    }
    let score = |c: &Candidate| c.weight / number(usize::from(c.size) + query_words);
    let better = |a: &Candidate, b: &Candidate| {
        let by_score = score(b).total_cmp(&score(a));
        by_score.then(a.place.cmp(&b.place))
    };
    if joined.len() > READ {
        joined.select_nth_unstable_by(READ, better);
        joined.truncate(READ);
    }
    joined.sort_by(better);
    joined.iter().map(|candidate| candidate.place).collect()
}

/// Adds the weights of `more` to the products of `base`; `both`: products that
/// only `more` has are taken, too.
fn merged(base: &[Candidate], more: &[Candidate], both: bool) -> Vec<Candidate> {
    let mut found = Vec::with_capacity(base.len());
    let mut more = more.iter().copied().peekable();
    for candidate in base {
        let mut candidate = *candidate;
        while let Some(before) = more.next_if(|other| other.place < candidate.place) {
            if both {
                found.push(before);
            }
        }
        if let Some(same) = more.next_if(|other| other.place == candidate.place) {
            candidate.weight += same.weight;
        }
        found.push(candidate);
    }
    if both {
        found.extend(more);
    }
    found
}

/// How well a name answers the words of a query, of 1. None: it does not.
pub(super) fn similarity(query_words: &[String], name: &str) -> Option<f64> {
    let of_name = words(name);
    let (mut weight, mut had) = (0.0, 0);
    for asked in query_words {
        let same = of_name.iter().map(|word| alike(asked, word));
        let best = same.fold(0.0, f64::max);
        if best >= MISSPELLED {
            weight += best;
            had += 1;
        }
    }
    let covered = weight / number(query_words.len());
    let named = ratio(had, of_name.len());
    (covered >= ENOUGH).then(|| (covered * 3.0 + named.min(1.0)) / 4.0)
}
