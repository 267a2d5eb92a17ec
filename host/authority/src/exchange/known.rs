//! Remembers the values that were hidden, and hides them wherever they are
//! repeated: authorities put names and numbers of a note into their sentences.

use std::collections::{BTreeMap, BTreeSet};

/// Values remembered of one document; one of 990 items has many more, but
/// those of its people come first.
const VALUES: usize = 4_000;
/// Values looked for letter by letter.
const JOINED: usize = 500;
/// Words of a value; an authority does not repeat a whole text.
const WORDS: usize = 40;
/// Letters two words must have together to stand for the value they begin.
const PREFIX: usize = 8;

#[derive(Default)]
pub(super) struct Known {
    /// Values as their words, by the first of them.
    phrases: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// Letters and digits of values that are numbers of something.
    numbers: BTreeSet<String>,
    /// Amounts without their cents, and short numbers: too common to be
    /// looked for but in sentences.
    short: BTreeSet<String>,
    /// Long ones without their blanks, to be found within other words.
    joined: BTreeSet<Vec<char>>,
    count: usize,
}

/// A word and where it stands, in characters.
struct Word {
    text: String,
    from: usize,
    to: usize,
}

impl Known {
    pub(super) fn learn(&mut self, value: &str) {
        if self.count >= VALUES {
            return;
        }
        let letters: Vec<char> = value.chars().take(2_000).collect();
        let words: Vec<String> = words_of(&letters)
            .into_iter()
            .take(WORDS)
            .map(|word| word.text)
            .collect();
        let joined: String = words.concat();
        let digits = joined.bytes().filter(u8::is_ascii_digit).count();
        if digits >= 6 && joined.len() >= 8 {
            self.count += usize::from(self.numbers.insert(joined.clone()));
        }
        let short = match words.as_slice() {
            [whole] if digits == joined.len() && digits >= 4 => Some(whole),
            [whole, cents] if digits == joined.len() && whole.len() >= 3 && cents.len() == 2 => {
                Some(whole)
            }
            _ => None,
        };
        if let Some(short) = short {
            self.count += usize::from(self.short.insert(short.clone()));
        }
        let letters = joined.chars().any(char::is_alphabetic);
        if letters && joined.chars().count() >= PREFIX && self.joined.len() < JOINED {
            self.joined.insert(joined.chars().collect());
        }
        if joined.chars().count() >= 4 && letters || digits >= 8 {
            self.learn_phrase(words);
        }
    }

    fn learn_phrase(&mut self, words: Vec<String>) {
        if let Some(first) = words.first() {
            let known = self.phrases.entry(first.clone()).or_default();
            self.count += usize::from(known.insert(words));
        }
    }

    /// Whether a text repeats one of these values.
    pub(super) fn repeats(&self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().collect();
        let mut hidden = vec![false; letters.len()];
        self.mark_phrases(&letters, &mut hidden);
        hidden.contains(&true)
    }

    /// Whether a value that should be a code is one of these, or has one of
    /// their numbers within.
    pub(super) fn contains(&self, value: &str) -> bool {
        let letters: Vec<char> = value.chars().collect();
        let words = words_of(&letters).into_iter();
        let bare: String = words.map(|word| word.text).collect();
        let number = bare.len() >= 8 && self.numbers.iter().any(|number| bare.contains(number));
        number || self.repeats(value)
    }

    /// Marks what a sentence repeats.
    pub(super) fn hide(&self, letters: &[char], hidden: &mut [bool]) {
        self.mark_phrases(letters, hidden);
        for word in words_of(letters) {
            if self.short.contains(&word.text) {
                mark(hidden, word.from, word.to);
            }
        }
        let compact: Vec<(usize, char)> = letters
            .iter()
            .enumerate()
            .filter(|(_, letter)| letter.is_alphanumeric())
            .map(|(at, letter)| (at, folded(*letter)))
            .collect();
        for known in &self.joined {
            for part in compact.windows(known.len()) {
                let same = part
                    .iter()
                    .zip(known)
                    .all(|((_, letter), known)| letter == known);
                if let ([(from, _), ..], [.., (to, _)], true) = (part, part, same) {
                    mark(hidden, *from, to + 1);
                }
            }
        }
    }

    fn mark_phrases(&self, letters: &[char], hidden: &mut [bool]) {
        let words = words_of(letters);
        for (index, first) in words.iter().enumerate() {
            let Some(known) = self.phrases.get(&first.text) else {
                continue;
            };
            let rest = words.get(index..).unwrap_or_default();
            let longest = known.iter().map(|phrase| repeated(rest, phrase)).max();
            if let Some(last) = longest.and_then(|count| rest.get(count.checked_sub(1)?)) {
                mark(hidden, first.from, last.to);
            }
        }
    }
}

fn mark(hidden: &mut [bool], from: usize, to: usize) {
    if let Some(letters) = hidden.get_mut(from..to) {
        letters.fill(true);
    }
}

/// How many words from here on are those of a value: all of them, or enough
/// of its beginning to tell it.
fn repeated(words: &[Word], phrase: &[String]) -> usize {
    let same = words
        .iter()
        .zip(phrase)
        .take_while(|(word, known)| word.text == **known)
        .count();
    let letters: usize = phrase
        .iter()
        .take(same)
        .map(|word| word.chars().count())
        .sum();
    if same == phrase.len() || same >= 2 && letters >= PREFIX {
        same
    } else {
        0
    }
}

/// Runs of letters and digits, without case and accents.
fn words_of(letters: &[char]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (index, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            continue;
        }
        let plain = folded(*letter);
        match words.last_mut() {
            Some(word) if word.to == index => {
                word.text.push(plain);
                word.to = index + 1;
            }
            _ => words.push(Word {
                text: plain.to_string(),
                from: index,
                to: index + 1,
            }),
        }
    }
    words
}

/// A letter as it is compared.
fn folded(letter: char) -> char {
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    match lower {
        'à'..='å' | 'ª' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'º' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    }
}
