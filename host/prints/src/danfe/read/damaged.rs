//! What looks like a key and is none: a position is wrong, lost or too many.

/// Positions of a key that lost some, or has some too many.
const SIZES: std::ops::RangeInclusive<usize> = 42..=46;
/// Characters between two parts of a key.
pub(super) const MAX_BETWEEN: usize = 3;
/// What is remembered of a page.
const MAX_FOUND: usize = 200;
/// Parts of a key as papers print it: eleven of four, or those of its numbers.
const MAX_PARTS: usize = 16;

/// A part of a text: where it begins and ends.
type Part = (usize, usize);

/// Everything of a text that looks like a damaged key, outside of its `keys`:
/// the positions, where it begins, and where the key before it ends, after which
/// its caption stands.
pub(super) fn all(text: &str, keys: &[Part]) -> Vec<(String, usize, usize)> {
    let parts = parts(text);
    let mut found = Vec::new();
    let mut previous = 0;
    let mut keys = keys.iter().peekable();
    for (index, &(at, _)) in parts.iter().enumerate() {
        while let Some((_, end)) = keys.next_if(|(_, end)| *end <= at) {
            previous = *end;
        }
        let next_key = keys.peek().map_or(usize::MAX, |(from, _)| *from);
        if found.len() >= MAX_FOUND {
            break;
        }
        if at < next_key {
            let here = beginning(text, parts.get(index..).unwrap_or(&[]), next_key);
            found.extend(here.into_iter().map(|clean| (clean, at, previous)));
        }
    }
    found
}

/// The words of a text that may be parts of a key: digits, and of letters no more
/// than damage makes of them.
fn parts(text: &str) -> Vec<Part> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let size = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        let word = rest.get(..size).unwrap_or(&[]);
        let letters = size - word.iter().filter(|b| b.is_ascii_digit()).count();
        if size > 0 && (letters <= 1 || letters * 4 <= size) {
            found.push((at, at + size));
        }
        at += size.max(1);
    }
    found
}

/// What looks like a damaged key and begins with the first of these parts.
fn beginning(text: &str, parts: &[Part], next_key: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut clean = String::new();
    let mut last = None;
    let mut fours = 0;
    for (count, &(at, end)) in parts.iter().take(MAX_PARTS).enumerate() {
        let between = text.get(last.unwrap_or(at)..at).unwrap_or("");
        let apart = between.len() > MAX_BETWEEN || !between.bytes().all(joins);
        clean.push_str(text.get(at..end).unwrap_or(""));
        if apart || end > next_key || clean.len() > *SIZES.end() {
            break;
        }
        last = Some(end);
        fours += usize::from(end - at == 4);
        // Whole, in groups of four, or with the numbers a key is made of.
        let shaped = count == 0 || fours >= 9 || made_of_numbers(&clean);
        if SIZES.contains(&clean.len()) && shaped {
            found.push(clean.clone());
        }
    }
    found
}

/// Whether this stands between the parts of one key.
pub(super) fn joins(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'.' | b'-' | b'/' | b'\n' | b'\r' | b'\t' | 0xA0 | 0xC2
    )
}

/// Of state, month and model two are where a key has them, or beside it.
fn made_of_numbers(clean: &str) -> bool {
    let number = |from: usize| {
        let two = clean.get(from..from + 2);
        two.and_then(|two| two.parse::<u8>().ok()).unwrap_or(0)
    };
    let uf = data::ufs::by_code(number(0)).is_some();
    let month = (3..=5).any(|from| (1..=12).contains(&number(from)));
    let model = (19..=21).any(|from| matches!(number(from), 55 | 57..=59 | 62..=67));
    // Letters belong into the number of a company alone.
    let letter = |(at, byte): &(usize, u8)| byte.is_ascii_alphabetic() && !(5..20).contains(at);
    let letters = clean.bytes().enumerate().filter(letter).count();
    usize::from(uf) + usize::from(month) + usize::from(model) >= 2 && letters <= 1
}

/// Whether it is this key but for one position, wrong, lost or too many.
pub(super) fn nearly(damaged: &str, key: &str) -> bool {
    let alike = |(a, b): &(u8, u8)| a == b;
    let before = damaged.bytes().zip(key.bytes()).take_while(alike).count();
    let after = damaged.bytes().rev().zip(key.bytes().rev());
    let after = after.take_while(alike).count();
    let sizes = (damaged.len(), key.len());
    sizes.0.abs_diff(sizes.1) <= 1 && before + after + 1 >= sizes.0.max(sizes.1)
}
