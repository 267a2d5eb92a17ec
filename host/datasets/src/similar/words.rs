//! The words of a name and the trigrams of a word.

use data::search::fold;

/// Words of a name that count; an entry of a posting has four bits for their
/// number.
pub const MOST_WORDS: usize = 15;
/// Letters of a word that count.
const MOST_LETTERS: usize = 32;
/// Words that tell nothing of a product.
const EMPTY_WORDS: [&str; 12] = [
    "a", "com", "da", "das", "de", "do", "dos", "e", "em", "o", "para", "por",
];
/// Units that belong to the number before them: `500 g` is the word `500g`.
const UNITS: [&str; 11] = [
    "cm", "g", "gr", "kg", "l", "lt", "m", "mg", "ml", "mm", "un",
];

/// The different words of a text, folded, in its order.
pub fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut number: Option<String> = None;
    for word in split(&fold(text)) {
        if let Some(before) = number.take() {
            if UNITS.contains(&word.as_str()) {
                push(&mut found, before + &word);
                continue;
            }
            push(&mut found, before);
        }
        if word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            number = Some(word);
        } else if !EMPTY_WORDS.contains(&word.as_str()) {
            push(&mut found, word);
        }
    }
    if let Some(last) = number {
        push(&mut found, last);
    }
    found
}

fn push(found: &mut Vec<String>, word: String) {
    if found.len() < MOST_WORDS && !found.contains(&word) {
        found.push(word);
    }
}

/// Letters and digits; a comma or point between digits is a point: `1,5` is
/// `1.5`.
fn split(folded: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut letters = folded.chars().peekable();
    while let Some(letter) = letters.next() {
        let between = matches!(letter, '.' | ',')
            && word.ends_with(|c: char| c.is_ascii_digit())
            && letters.peek().is_some_and(char::is_ascii_digit);
        if between {
            word.push('.');
        } else if letter.is_alphanumeric() {
            word.push(letter);
        } else if !word.is_empty() {
            found.push(shortened(&word));
            word.clear();
        }
    }
    if !word.is_empty() {
        found.push(shortened(&word));
    }
    found
}

fn shortened(word: &str) -> String {
    word.chars().take(MOST_LETTERS).collect()
}

/// The different trigrams of a word. Two signs before it and one behind make its
/// beginning count more than its end.
pub fn trigrams(word: &str) -> Vec<String> {
    let letters: Vec<char> = "__".chars().chain(word.chars()).chain(['_']).collect();
    let mut found: Vec<String> = Vec::with_capacity(letters.len());
    for three in letters.windows(3) {
        let three: String = three.iter().collect();
        if !found.contains(&three) {
            found.push(three);
        }
    }
    found
}

/// How alike two words are, of 1: trigrams they share, of those they have
/// (Dice); a word that begins with the other is nearly the same.
pub fn alike(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short.len() >= 3 && long.starts_with(short) {
        return 0.9;
    }
    let (of_a, of_b) = (trigrams(a), trigrams(b));
    let shared = of_a.iter().filter(|three| of_b.contains(three)).count();
    let all = of_a.len() + of_b.len();
    ratio(2 * shared, all)
}

/// A part of a whole; 0 of nothing.
pub fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    number(part) / number(whole)
}

/// A count to calculate with.
pub fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
