//! Search in the texts of a table, without accents and in any case. The texts
//! are folded once; a query then looks at each different word once.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Words of a query that are looked at; what stands behind them is not.
const MAX_WORDS: usize = 16;

/// What is searched of a row.
#[derive(Debug, PartialEq, Eq)]
pub struct SearchText {
    pub codigo: String,
    pub text: String,
    /// Rows behind it whose codes begin with its own have its words too.
    pub heading: bool,
}

/// Rows that match, the best first.
#[derive(Debug, PartialEq, Eq)]
pub struct Found<'a, T> {
    /// No more than were asked for.
    pub rows: Vec<&'a T>,
    /// How many match in all.
    pub total: usize,
}

/// How well a row matches a word, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// Its code begins with the word.
    Code,
    Whole,
    /// One of its words begins with the word.
    Prefix,
    /// One of its words, or its code, has the word inside.
    Contained,
    No,
}

const MATCHES: [Match; 4] = [Match::Code, Match::Whole, Match::Prefix, Match::Contained];

/// The folded texts of some rows.
#[derive(Debug)]
pub struct Index {
    /// One of each row.
    codes: Words,
    /// The nearest heading above each row.
    above: Vec<Option<u32>>,
    /// Each different word once.
    words: Words,
    /// The places of the rows that have it, for each of the words.
    places: Vec<Vec<u32>>,
}

impl Index {
    pub fn new<T>(rows: &[T], text: impl Fn(&T) -> SearchText) -> Index {
        let mut index = Index {
            codes: Words::default(),
            above: Vec::new(),
            words: Words::default(),
            places: Vec::new(),
        };
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut above: Vec<(String, u32)> = Vec::new();
        for (row, place) in rows.iter().zip(0_u32..) {
            let row = text(row);
            let codigo = folded_code(&row.codigo);
            while above
                .pop_if(|(heading, _)| !codigo.starts_with(&*heading))
                .is_some()
            {}
            index.above.push(above.last().map(|(_, place)| *place));
            index.codes.push(&codigo);
            if row.heading {
                above.push((codigo, place));
            }
            each_word(&row.text, |word| {
                let Some(found) = known.get(word) else {
                    known.insert(word.to_owned(), index.places.len());
                    index.words.push(word);
                    index.places.push(vec![place]);
                    return;
                };
                if let Some(places) = index.places.get_mut(*found)
                    && places.last() != Some(&place)
                {
                    places.push(place);
                }
            });
        }
        index
    }

    /// Rows that have every word of the query, the best first and then as they
    /// stand. `rows` are those the index was made of. A query without words
    /// finds nothing.
    pub fn find<'a, T>(&self, rows: &'a [T], query: &str, limit: usize) -> Found<'a, T> {
        let matches = self.matches(query);
        let total = matches.iter().filter(|found| **found != Match::No).count();
        let ordered = MATCHES.iter().flat_map(|wanted| {
            let pairs = rows.iter().zip(&matches);
            pairs.filter_map(move |(row, found)| (found == wanted).then_some(row))
        });
        Found {
            rows: ordered.take(limit).collect(),
            total,
        }
    }

    /// Each row is worth what its worst word is worth.
    fn matches(&self, query: &str) -> Vec<Match> {
        let mut query_words = Vec::new();
        each_word(query, |word| {
            if query_words.len() < MAX_WORDS {
                query_words.push(word.to_owned());
            }
        });
        let start = if query_words.is_empty() {
            Match::No
        } else {
            Match::Code
        };
        let mut worst = vec![start; self.codes.ends.len()];
        for word in query_words {
            let best = self.best(&word);
            for (worst, best) in worst.iter_mut().zip(best) {
                *worst = best.max(*worst);
            }
        }
        worst
    }

    /// How well each row matches one word.
    fn best(&self, wanted: &str) -> Vec<Match> {
        let mut best = vec![Match::No; self.codes.ends.len()];
        self.words.find(wanted, |word, found| {
            for place in self.places.get(word).into_iter().flatten() {
                if let Some(best) = best.get_mut(*place as usize) {
                    *best = found.min(*best);
                }
            }
        });
        self.codes.find(wanted, |row, found| {
            if let Some(best) = best.get_mut(row) {
                let found = match found {
                    Match::Whole | Match::Prefix => Match::Code,
                    other => other,
                };
                *best = found.min(*best);
            }
        });
        // A heading stands before what is under it.
        for (row, heading) in self.above.iter().enumerate() {
            let above = heading.and_then(|heading| best.get(heading as usize).copied());
            if let (Some(above), Some(own)) = (above, best.get_mut(row)) {
                *own = above.min(*own);
            }
        }
        best
    }
}

/// Words in one text, so that one pass looks for something in all of them.
#[derive(Debug, Default)]
struct Words {
    /// A line each.
    text: String,
    /// Where the lines end, the break included.
    ends: Vec<usize>,
}

impl Words {
    fn push(&mut self, word: &str) {
        self.text.push_str(word);
        self.text.push('\n');
        self.ends.push(self.text.len());
    }

    /// The place of each word that has `wanted`, and how it has it. `wanted` is
    /// a word: never over a break.
    fn find(&self, wanted: &str, mut each: impl FnMut(usize, Match)) {
        let mut lines = self.ends.iter().enumerate().peekable();
        let mut start = 0;
        for (at, _) in self.text.match_indices(wanted) {
            while let Some((_, end)) = lines.next_if(|(_, end)| **end <= at) {
                start = *end;
            }
            // A word that has it again was taken at the first time.
            if at < start {
                continue;
            }
            let Some((line, end)) = lines.next() else {
                return;
            };
            let found = match at == start {
                true if at + wanted.len() + 1 == *end => Match::Whole,
                true => Match::Prefix,
                false => Match::Contained,
            };
            start = *end;
            each(line, found);
        }
    }
}

/// Searches rows that are searched once. A row matches when each word of the
/// query begins its code, or is, begins or is inside one of its words.
pub fn search<'a, T>(
    rows: &'a [T],
    text: impl Fn(&T) -> SearchText,
    query: &str,
    limit: usize,
) -> Found<'a, T> {
    Index::new(rows, text).find(rows, query, limit)
}

/// Rows of a table with an index that the first search makes, and that is made
/// anew once another text of the table was installed.
pub(crate) struct Search<T: 'static> {
    rows: fn() -> &'static [T],
    text: fn(&T) -> SearchText,
    /// The rows it was made of: rows are never given back, so the same address means
    /// the same rows.
    index: RwLock<Option<(&'static [T], Arc<Index>)>>,
}

impl<T> Search<T> {
    pub(crate) const fn new(rows: fn() -> &'static [T], text: fn(&T) -> SearchText) -> Search<T> {
        Search {
            rows,
            text,
            index: RwLock::new(None),
        }
    }

    pub(crate) fn find(&self, query: &str, limit: usize) -> Found<'static, T> {
        let rows = (self.rows)();
        self.index(rows).find(rows, query, limit)
    }

    fn index(&self, rows: &'static [T]) -> Arc<Index> {
        let of_rows = |made: &Option<(&'static [T], Arc<Index>)>| {
            let made = made.as_ref().filter(|(of, _)| std::ptr::eq(*of, rows));
            made.map(|(_, index)| index.clone())
        };
        let made = of_rows(&self.index.read().unwrap_or_else(PoisonError::into_inner));
        if let Some(index) = made {
            return index;
        }
        let mut made = self.index.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = of_rows(&made) {
            return index;
        }
        let index = Arc::new(Index::new(rows, self.text));
        *made = Some((rows, index.clone()));
        index
    }
}

/// Small letters without the accents of Latin languages.
pub fn fold(text: &str) -> String {
    folded(text).collect()
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    let small = text.chars().flat_map(char::to_lowercase);
    // A letter may carry its accent as a character of its own.
    let letters = small.filter(|letter| !('\u{300}'..='\u{36f}').contains(letter));
    letters.map(|letter| match letter {
        'à'..='å' | 'ª' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ø' | 'º' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    })
}

/// Letters and digits only: `SEM CBENEF` is one code.
fn folded_code(codigo: &str) -> String {
    folded(codigo).filter(|c| c.is_alphanumeric()).collect()
}

/// Words of letters and digits, folded. Signs between digits do not part a
/// word: `1701.99` is the code 170199.
fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut letters = folded(text).peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() {
            word.push(letter);
            continue;
        }
        let inside = matches!(letter, '.' | ',' | '-' | '/')
            && word.ends_with(|c: char| c.is_ascii_digit())
            && letters.peek().is_some_and(char::is_ascii_digit);
        if !inside && !word.is_empty() {
            each(&word);
            word.clear();
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [(&str, &str); 8] = [
        ("01", "Animais do campo"),
        ("0101", "Cavalos vivos"),
        ("0102", "Animais da espécie bovina"),
        ("02", "Carnes"),
        ("1701", "Açúcares de cana"),
        ("2009", "Água de açúcar"),
        ("2202", "Bebidas açucaradas, 1701.99"),
        ("SEM C", "Nada"),
    ];

    fn codes(query: &str, limit: usize) -> (Vec<&'static str>, usize) {
        let text = |row: &(&str, &str)| SearchText {
            codigo: row.0.to_owned(),
            text: row.1.to_owned(),
            heading: row.0.len() == 2,
        };
        let found = search(&ROWS, text, query, limit);
        (found.rows.iter().map(|row| row.0).collect(), found.total)
    }

    #[test]
    fn the_best_come_first() {
        // Whole, then two beginnings in the order of the table.
        assert_eq!(codes("AÇÚCAR", 9), (vec!["2009", "1701", "2202"], 3));
        assert_eq!(codes("acucar", 1), (vec!["2009"], 3));
        // The beginning of a code before a word that begins so.
        assert_eq!(codes("1701", 9), (vec!["1701", "2202"], 2));
        assert_eq!(codes("170", 9).0, ["1701", "2202"]);
        // Inside a word, inside a code.
        assert_eq!(codes("valos", 9).0, ["0101"]);
        assert_eq!(codes("01", 9).0, ["01", "0101", "0102", "1701", "2202"]);
    }

    #[test]
    fn every_word_has_to_be_there() {
        assert_eq!(codes("cana açucares", 9).0, ["1701"]);
        assert_eq!(codes("17 cana", 9).0, ["1701"]);
        assert_eq!(codes("cana cavalos", 9), (vec![], 0));
        assert_eq!(codes("1701.99", 9).0, ["2202"]);
        assert_eq!(codes("sem c", 9).0, ["SEM C"]);
        assert_eq!(codes(" .-/", 9), (vec![], 0));
        assert_eq!(codes("", 9), (vec![], 0));
        assert_eq!(codes("cana", 0), (vec![], 1));
    }

    #[test]
    fn a_row_has_the_words_of_its_heading() {
        assert_eq!(codes("campo", 9).0, ["01", "0101", "0102"]);
        assert_eq!(codes("campo vivo", 9).0, ["0101"]);
        assert_eq!(codes("carnes", 9).0, ["02"]);
    }

    #[test]
    fn accents_and_case_are_folded() {
        assert_eq!(fold("AÇÃO nº 1, Ümlaut"), "acao no 1, umlaut");
        assert_eq!(fold("Sa\u{303}o"), "sao");
        assert_eq!(fold("漢字"), "漢字");
    }
}
