//! The index of the names of an edition, being made.

use super::postings::{Entry, MOST, Postings};
use super::words::{trigrams, words};
use std::collections::{BTreeMap, HashMap};

/// Words of names and where they are.
#[derive(Debug, Default)]
pub struct Index {
    words: HashMap<Box<str>, Postings>,
}

/// A finished index.
#[derive(Debug)]
pub struct Finished {
    /// Words in order, with the products that have them; a word's place is its
    /// place here.
    pub words: Vec<(String, Postings)>,
    /// Trigrams in order, with the words that have them.
    pub trigrams: Vec<(String, Postings)>,
}

impl Index {
    /// Adds a name; its place is behind those that are there.
    pub fn add(&mut self, place: u32, name: &str) {
        let of_name = words(name);
        let size = small(of_name.len());
        for word in of_name {
            let postings = match self.words.get_mut(word.as_str()) {
                Some(postings) => postings,
                None => self.words.entry(word.into()).or_default(),
            };
            postings.push(Entry { place, size });
        }
    }

    /// Sorts the words and finds their trigrams.
    pub fn finish(self) -> Finished {
        let words = self.words.into_iter();
        let mut words: Vec<(String, Postings)> = words
            .map(|(word, postings)| (word.into(), postings))
            .collect();
        words.sort_by(|a, b| a.0.cmp(&b.0));
        let mut of_letters: BTreeMap<String, Postings> = BTreeMap::new();
        for ((word, _), place) in words.iter().zip(0_u32..) {
            let of_word = trigrams(word);
            let size = small(of_word.len());
            for three in of_word {
                let postings = of_letters.entry(three).or_default();
                postings.push(Entry { place, size });
            }
        }
        Finished {
            words,
            trigrams: of_letters.into_iter().collect(),
        }
    }
}

fn small(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(MOST).min(MOST)
}
