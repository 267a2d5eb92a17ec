//! Names inside files, of items, variants, fields, parameters and variables:
//! English, but for the words that the law, a layout or the API coined.
//!
//! Fields and variants that are read from or written to JSON keep the names
//! they have there, and those of a `row!` the names of its columns: they are
//! not looked at.

use super::names::{ENGLISH, coined};
use super::source::code;
use super::{files, inside, report, text};
use std::collections::{BTreeMap, BTreeSet};
use tests::adapters::workspace;

/// The English words of identifiers that are in no name of a file.
const WORDS: &str = include_str!("identifiers.txt");

/// Names of elements that the official layouts write in more than one word,
/// without capitals: `tpamb`.
fn elements() -> BTreeSet<String> {
    let mut elements = BTreeSet::new();
    for path in files(&workspace().join("host/markup/layouts"), "txt") {
        for name in text(&path).split(|c: char| !c.is_ascii_alphanumeric()) {
            let small = name.starts_with(|c: char| c.is_ascii_lowercase());
            if small && name.contains(|c: char| c.is_ascii_uppercase()) {
                elements.insert(name.to_ascii_lowercase());
            }
        }
    }
    elements
}

/// `VerProc2` is `ver` and `proc`.
fn words(identifier: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    let chars: Vec<char> = identifier.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let next_is_small = chars.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let begins = !before.is_ascii_alphabetic()
            || c.is_ascii_uppercase() && (before.is_ascii_lowercase() || next_is_small);
        if c.is_ascii_alphabetic() {
            match words.last_mut() {
                Some(word) if !begins => word.push(c.to_ascii_lowercase()),
                _ => words.push(c.to_ascii_lowercase().to_string()),
            }
        }
        before = *c;
    }
    words
}

/// What of these words is in no list; elements may take several words.
fn unknown<'w>(
    words: &'w [String],
    known: &BTreeSet<String>,
    elements: &BTreeSet<String>,
) -> Vec<&'w str> {
    let mut unknown = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let element = (2..=4)
            .rev()
            .filter(|length| at + length <= words.len())
            .find(|length| elements.contains(&words[at..at + length].concat()));
        if element.is_none() && word.len() > 1 && !known.contains(word) {
            unknown.push(word.as_str());
        }
        at += element.unwrap_or(1);
    }
    unknown
}

/// Identifiers and single signs.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len())
            .max(first.len_utf8());
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

const KEYWORDS: [&str; 10] = [
    "mut", "ref", "self", "fn", "dyn", "unsafe", "true", "false", "crate", "super",
];

/// Whether this token is a name that a pattern binds.
fn binds(tokens: &[&str], at: usize) -> bool {
    let token = tokens[at];
    let small = token.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let next = tokens.get(at + 1).copied().unwrap_or_default();
    small
        && token != "_"
        && !KEYWORDS.contains(&token)
        && !(at > 0 && tokens[at - 1] == "'")
        && !matches!(next, "(" | "{" | "!" | ":")
}

/// Where the bracket closes that is open at `at`; `<` counts where types are.
fn closes(tokens: &[&str], at: usize) -> usize {
    let mut depth = 0_i32;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match *token {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            ">" if !matches!(tokens[place - 1], "-" | "=") => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place;
        }
    }
    tokens.len()
}

/// Names that the patterns of a list bind, types left out: `a: A, (b, c): B`.
fn bound<'t>(tokens: &[&'t str], found: &mut Vec<&'t str>) {
    let mut at = 0;
    let mut in_type = false;
    while at < tokens.len() {
        match tokens[at] {
            "," => in_type = false,
            ":" if tokens.get(at + 1) == Some(&":") => at += 1,
            ":" => in_type = true,
            "(" | "[" | "{" | "<" => {
                let end = closes(tokens, at).min(tokens.len());
                if !in_type {
                    bound(&tokens[at + 1..end], found);
                }
                at = end;
            }
            name if !in_type && (binds(tokens, at) || is_typed(tokens, at)) => {
                found.push(name);
            }
            _ => {}
        }
        at += 1;
    }
}

/// What a `let`, `for` or closure binds, from behind the word to `ends`.
fn pattern<'t>(tokens: &[&'t str], from: usize, ends: &[&str], found: &mut Vec<&'t str>) {
    let mut at = from;
    while at < tokens.len() && at < from + 200 {
        let token = tokens[at];
        let path = token == ":" && (tokens.get(at + 1) == Some(&":") || tokens[at - 1] == ":");
        if ends.contains(&token) && !path || token == ":" && !path && ends.contains(&"=") {
            return;
        }
        if matches!(token, "(" | "[" | "{") {
            let end = closes(tokens, at).min(tokens.len());
            for place in at + 1..end {
                let before = tokens[place - 1];
                if binds(tokens, place) && before != "'" {
                    found.push(tokens[place]);
                }
            }
            at = end;
        } else if binds(tokens, at) || is_typed(tokens, at) {
            found.push(token);
        }
        at += 1;
    }
}

/// Whether this token is a name with its type behind it: `a: A`.
fn is_typed(tokens: &[&str], at: usize) -> bool {
    tokens[at].starts_with(|c: char| c.is_ascii_lowercase())
        && tokens.get(at + 1) == Some(&":")
        && tokens.get(at + 2) != Some(&":")
}

/// Where the parameters end of a closure that begins at `at`; None where the
/// bar stands between patterns or numbers.
fn closure_end(tokens: &[&str], at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (place, token) in tokens.iter().enumerate().skip(at + 1) {
        match *token {
            "|" if depth == 0 => return Some(place),
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            ";" | "=" => return None,
            "." if tokens[place - 1] != "." && tokens.get(place + 1) != Some(&".") => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Fields or variants of the item whose braces open at `open`.
fn members<'t>(tokens: &[&'t str], open: usize, found: &mut Vec<&'t str>) {
    let end = closes(tokens, open).min(tokens.len());
    let mut at = open + 1;
    let mut begins = true;
    while at < end {
        match tokens[at] {
            "#" => at = closes(tokens, at + 1),
            "pub" if tokens[at + 1] == "(" => at = closes(tokens, at + 1),
            "pub" => {}
            "," => begins = true,
            "{" if !begins => {
                members(tokens, at, found);
                at = closes(tokens, at);
            }
            "(" | "[" | "<" | "{" => at = closes(tokens, at),
            name if begins => {
                found.push(name);
                begins = false;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether the item at `at` is read from or written to JSON, or is a row of the
/// database: the members of `row! { ... }` have the names of their columns.
fn is_serialized(tokens: &[&str], at: usize) -> bool {
    let from = tokens[..at]
        .iter()
        .rposition(|token| matches!(*token, ";" | "}"))
        .map_or(0, |place| place + 1);
    let before = &tokens[from..at];
    let derives = before
        .iter()
        .any(|token| matches!(*token, "Serialize" | "Deserialize"));
    derives || before.windows(3).any(|three| three == ["row", "!", "{"])
}

/// Every name that a file defines.
fn defined(code: &str) -> Vec<&str> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    for at in 0..tokens.len().saturating_sub(1) {
        let next = tokens[at + 1];
        let named = next.starts_with(|c: char| c.is_ascii_alphabetic());
        let before = if at == 0 { "" } else { tokens[at - 1] };
        match tokens[at] {
            "fn" if named => {
                found.push(next);
                let generics = tokens.get(at + 2) == Some(&"<");
                let open = if generics {
                    closes(&tokens, at + 2) + 1
                } else {
                    at + 2
                };
                let close = closes(&tokens, open);
                bound(tokens.get(open + 1..close).unwrap_or_default(), &mut found);
            }
            "struct" | "enum" | "union" if named && before != "." => {
                found.push(next);
                let generics = tokens.get(at + 2) == Some(&"<");
                let from = if generics {
                    closes(&tokens, at + 2)
                } else {
                    at
                };
                let open = (from..tokens.len()).find(|at| matches!(tokens[*at], "{" | ";" | "("));
                if let Some(open) = open
                    && tokens[open] == "{"
                    && !is_serialized(&tokens, at)
                {
                    members(&tokens, open, &mut found);
                }
            }
            "trait" | "type" | "mod" | "const" | "static" if named && next != "fn" => {
                found.push(next);
            }
            "let" => pattern(&tokens, at + 1, &["=", ";"], &mut found),
            "for" if next != "<" => {
                let end = (at..tokens.len()).find(|at| matches!(tokens[*at], "in" | "{" | ";"));
                if end.is_some_and(|end| tokens[end] == "in") {
                    pattern(&tokens, at + 1, &["in"], &mut found);
                }
            }
            "|" if matches!(before, "(" | "," | "=" | "{" | ";" | "move") => {
                let close = closure_end(&tokens, at).unwrap_or(at + 1);
                bound(&tokens[at + 1..close], &mut found);
            }
            _ => {}
        }
    }
    found.retain(|name| !KEYWORDS.contains(name));
    found
}

#[test]
fn identifiers_are_english_or_of_the_glossary() {
    let mut known = coined();
    known.extend(ENGLISH.lines().chain(WORDS.lines()).map(String::from));
    let elements = elements();
    let mut problems: BTreeMap<String, String> = BTreeMap::new();
    let mut used: BTreeSet<String> = BTreeSet::new();
    for room in ["host", "plugins", "tests"] {
        for path in files(&workspace().join(room), "rs") {
            let code = code(&text(&path));
            for identifier in defined(&code) {
                used.extend(words(identifier));
                for word in unknown(&words(identifier), &known, &elements) {
                    problems
                        .entry(word.to_owned())
                        .or_insert_with(|| format!("{}: {identifier}", inside(&path)));
                }
            }
        }
    }
    let mut problems: Vec<String> = problems
        .into_iter()
        .map(|(word, place)| {
            format!(
                "{place}: `{word}` is in no list. An English word goes to tests/tidy/identifiers.txt; \
                 a word that the law, a layout or the API coined, to docs/GLOSSARY.md, \"Words in names\""
            )
        })
        .collect();
    let listed: Vec<&str> = WORDS.lines().collect();
    if !listed.is_sorted() {
        problems.push("tests/tidy/identifiers.txt is not sorted".to_owned());
    }
    for word in listed {
        if !used.contains(word) {
            problems.push(format!(
                "tests/tidy/identifiers.txt: `{word}` is in no identifier"
            ));
        }
        if ENGLISH.lines().any(|other| other == word) {
            problems.push(format!(
                "tests/tidy/identifiers.txt: `{word}` is in words.txt"
            ));
        }
    }
    report(problems);
}

#[test]
fn definitions_are_found() {
    let code = "const ONE: u8 = 1; #[derive(Serialize)] struct Two { no: u8 }\n\
        pub(crate) struct Three<T: Fn(u8)> { #[x] pub four: Vec<T>, five: (u8, u8) }\n\
        enum Six { Seven, Eight(A, B), Nine { ten: u8 } }\n\
        impl<'a> A for B { fn eleven<F: Fn(C) -> D>(&self, twelve: &'a str, (a, b): (c, d)) -> E {\n\
        let Some(thirteen) = f::g(|fourteen| fourteen + 1) else { return };\n\
        let A { x: fifteen, sixteen, .. } = h; m!(o, \"\" | \"\") && p.q(|_| r); let seventeen: i::J = k;\n\
        for (eighteen, nineteen) in l { m(); } if let Some(twenty) = n {} } }\n\
        row! { #[derive(Debug)] pub struct Row { pub coluna: u8 } }";
    let mut found = defined(code);
    found.sort_unstable();
    let mut expected = [
        "ONE",
        "Two",
        "Three",
        "four",
        "five",
        "Six",
        "Seven",
        "Eight",
        "Nine",
        "ten",
        "eleven",
        "twelve",
        "a",
        "b",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
        "Row",
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn identifiers_fall_into_words() {
    assert_eq!(words("tp_amb"), ["tp", "amb"]);
    assert_eq!(words("MAX_BYTES2"), ["max", "bytes"]);
    assert_eq!(words("NFeReader"), ["n", "fe", "reader"]);
    assert_eq!(words("HttpURLName"), ["http", "url", "name"]);
}
