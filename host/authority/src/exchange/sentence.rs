//! Sentences of an authority: shown, but numbers, amounts, addresses and other
//! data of people and companies in them are hidden.

use super::HIDDEN;
use super::known::Known;

/// Characters of a sentence that are shown.
const SHOWN: usize = 500;
/// Characters that are looked at: a number must not be shown because the cut
/// went through it.
const READ: usize = 1_000;
/// Digits that, together, are some number of somebody: a CEP has eight, a
/// telephone without its area eight or nine.
const DIGITS: usize = 6;
/// Longest word of a language; beyond, it is data.
const WORD: usize = 40;
/// Longest text between quotes.
const QUOTED: usize = 200;

/// A sentence without numbers of people and companies, amounts, addresses,
/// quoted values, and what is known of the document.
pub(super) fn shown(text: &str, known: &Known) -> String {
    // Written in references of characters it could be anything.
    if text.contains("&#") {
        return HIDDEN.to_owned();
    }
    let mut letters: Vec<char> = text
        .chars()
        .filter(|letter| !invisible(*letter))
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(READ)
        .collect();
    let cut = letters.len() > SHOWN;
    let mut hidden = vec![false; letters.len()];
    numbers(&letters, &mut hidden);
    words(&letters, &mut hidden);
    quotes(&letters, &mut hidden);
    known.hide(&letters, &mut hidden);
    letters.truncate(SHOWN);
    let mut out = String::new();
    let mut before = false;
    for (letter, hidden) in letters.iter().zip(&hidden) {
        match (hidden, before) {
            (true, false) => out.push_str(HIDDEN),
            (true, true) => {}
            (false, _) => out.push(*letter),
        }
        before = *hidden;
    }
    if cut {
        out.push('…');
    }
    out
}

/// Characters nobody sees, which could part a number or turn a text around.
fn invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn hide(hidden: &mut [bool], from: usize, to: usize) {
    if let Some(range) = hidden.get_mut(from..to) {
        range.fill(true);
    }
}

/// Long numbers however punctuated, and amounts.
fn numbers(letters: &[char], hidden: &mut [bool]) {
    let mut at = 0;
    while at < letters.len() {
        if !letters[at].is_numeric() {
            at += 1;
            continue;
        }
        let (from, mut last, mut digits) = (at, at, 0);
        // Digits, and at most two signs between them.
        while at < letters.len() && at - last <= 3 {
            if letters[at].is_numeric() {
                digits += 1;
                last = at;
            } else if !" .,-/():+".contains(letters[at]) {
                break;
            }
            at += 1;
        }
        at = last + 1;
        let run = letters.get(from..=last).unwrap_or_default();
        let money = letters
            .get(..from)
            .unwrap_or_default()
            .iter()
            .rev()
            .find(|letter| !letter.is_whitespace())
            == Some(&'$');
        if digits >= DIGITS || money || cents(run) {
            hide(hidden, from, last + 1);
        }
    }
}

/// `37.80`, `1.500,00`.
fn cents(run: &[char]) -> bool {
    match run {
        [.., sign, tens, ones] => {
            run.len() > 3 && matches!(*sign, '.' | ',') && tens.is_numeric() && ones.is_numeric()
        }
        _ => false,
    }
}

/// Addresses, and words that are keys, registrations or packed data.
fn words(letters: &[char], hidden: &mut [bool]) {
    runs(letters, char::is_whitespace, |from, to, word| {
        let text: String = word.iter().collect();
        let address = text.contains("://") && !is_namespace(text.trim_matches(['\'', '"', '.']));
        if text.contains('@') || address {
            hide(hidden, from, to);
        }
    });
    let apart = |letter: char| letter.is_whitespace() || "()[]{}<>;:,='\"“”‘’«»|".contains(letter);
    runs(letters, apart, |from, to, word| {
        let bare: Vec<char> = word
            .iter()
            .copied()
            .filter(|c| c.is_alphanumeric())
            .collect();
        let digits = bare.iter().filter(|letter| letter.is_numeric()).count();
        let cnpj = bare.len() == 14
            && bare.iter().all(char::is_ascii_alphanumeric)
            && bare.iter().rev().take(2).all(char::is_ascii_digit);
        if digits >= DIGITS || cnpj || bare.len() > WORD {
            hide(hidden, from, to);
        }
    });
}

/// What stands between separators, with its place.
fn runs(
    letters: &[char],
    apart: impl Fn(char) -> bool,
    mut told: impl FnMut(usize, usize, &[char]),
) {
    let mut from = 0;
    for at in 0..=letters.len() {
        let ends = letters.get(at).is_none_or(|letter| apart(*letter));
        if ends {
            if let Some(word) = letters.get(from..at).filter(|word| !word.is_empty()) {
                told(from, at, word);
            }
            from = at + 1;
        }
    }
}

/// Values an authority quotes; names of elements and types are none.
fn quotes(letters: &[char], hidden: &mut [bool]) {
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let close = match letter {
            '\'' => '\'',
            '"' => '"',
            '“' => '”',
            '‘' => '’',
            '«' => '»',
            _ => {
                at += 1;
                continue;
            }
        };
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        if before.is_some_and(|before| before.is_alphanumeric()) {
            at += 1;
            continue;
        }
        let rest = letters.get(at + 1..).unwrap_or_default();
        let length = rest
            .iter()
            .take(QUOTED)
            .enumerate()
            .position(|(index, letter)| {
                let next = rest.get(index + 1);
                *letter == close && next.is_none_or(|next| !next.is_alphanumeric())
            });
        let inner = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        let text: String = inner.iter().collect();
        if !(is_element(&text) || is_namespace(&text)) {
            hide(hidden, at + 1, at + 1 + inner.len());
        }
        at += inner.len() + 2;
    }
}

/// `infNFe`, `xNome`: as elements are written, and nobody's name.
fn is_element(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().any(|b| b.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_alphanumeric())
        && text.bytes().filter(u8::is_ascii_digit).count() < DIGITS
}

/// An address that only names something.
pub(super) fn is_namespace(text: &str) -> bool {
    let plain = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b":/._-#".contains(&b));
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    // ABRASF's own has one slash.
    let web = text.starts_with("http:/") || text.starts_with("https:/") || text.starts_with("urn:");
    web && plain && text.len() <= 120 && digits < 12
}
