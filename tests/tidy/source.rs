//! Rust sources, read just well enough to see who uses whom.

use super::{files, inside, text};
use tests::adapters::workspace;

/// The code of a file: comments, and what stands in strings, are blanks, so
/// that lines keep their numbers.
pub fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => line_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => comment_end(bytes, at),
            b'"' => string_end(bytes, at + 1),
            b'r' if !part_of_word(bytes, word_start(bytes, at)) => raw_end(bytes, at).unwrap_or(at),
            b'\'' => char_end(bytes, at),
            _ => at,
        };
        if end == at {
            code.push(char::from(bytes[at]));
            at += 1;
        } else {
            let newlines = bytes[at..end].iter().filter(|byte| **byte == b'\n');
            code.push(' ');
            code.extend(newlines.map(|_| '\n'));
            at = end;
        }
    }
    code
}

/// A line of code of a crate, without blanks around it: not of tests, no comment.
pub struct Line {
    /// Path inside the workspace.
    pub file: String,
    pub number: usize,
    pub text: String,
}

/// The lines of code of crates of the host.
pub fn lines(crates: &[&str]) -> Vec<Line> {
    let mut found = Vec::new();
    for krate in crates {
        for path in files(&workspace().join("host").join(krate).join("src"), "rs") {
            let (file, source) = (inside(&path), text(&path));
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in (1..).zip(code.lines()) {
                let line = line.trim();
                if !line.starts_with("//") {
                    found.push(Line {
                        file: file.clone(),
                        number,
                        text: line.to_owned(),
                    });
                }
            }
        }
    }
    found
}

/// Where the word begins that an `r` is in, if it is the `br` of bytes.
fn word_start(bytes: &[u8], at: usize) -> usize {
    at - usize::from(at > 0 && bytes[at - 1] == b'b')
}

fn part_of_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].iter().position(|byte| *byte == b'\n');
    rest.map_or(bytes.len(), |length| at + length)
}

fn comment_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].windows(2).position(|pair| pair == b"*/");
    rest.map_or(bytes.len(), |length| at + length + 2)
}

/// Behind the quote that ends a string; `at` is its first character.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Behind `r#"…"#`; None where an `r` begins something else.
fn raw_end(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at + 1..]
        .iter()
        .take_while(|byte| **byte == b'#')
        .count();
    if bytes.get(at + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    let inside = at + 2 + hashes;
    let length = bytes[inside..]
        .windows(close.len())
        .position(|window| window == close)?;
    Some(inside + length + close.len())
}

/// Behind a character; `at` itself where a lifetime begins.
fn char_end(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at + 1) == Some(&b'\\') {
        let close = bytes[at + 3..].iter().position(|byte| *byte == b'\'');
        return close.map_or(at, |length| at + 3 + length + 1);
    }
    // One character of any length in UTF-8.
    let close = bytes[at + 1..]
        .iter()
        .take(5)
        .position(|byte| *byte == b'\'');
    match close {
        Some(length) if length > 0 && length <= 4 => {
            let inside = std::str::from_utf8(&bytes[at + 1..at + 1 + length]);
            let one = inside.is_ok_and(|inside| inside.chars().count() == 1);
            if one { at + length + 2 } else { at }
        }
        _ => at,
    }
}

/// Behind the brace that closes the one at `open`.
pub fn block_end(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// Code without its test modules.
pub fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        let item = &rest[at..];
        let end = match (item.find('{'), item.find(';')) {
            (Some(open), semicolon) if semicolon.is_none_or(|end| open < end) => {
                block_end(item, open)
            }
            (_, Some(semicolon)) => semicolon + 1,
            _ => item.len(),
        };
        rest = &item[end..];
    }
    kept + rest
}

/// The paths of all `use` of a file, those in braces one by one, and all others
/// that begin with `crate` or `super`.
pub fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = code;
    while let Some(at) = next_use(rest) {
        let (before, tree) = rest.split_at(at);
        plain.push_str(before);
        let end = tree.find(';').unwrap_or(tree.len());
        branches("", tree["use ".len()..end].trim(), &mut found);
        rest = &tree[end..];
    }
    plain.push_str(rest);
    for root in ["crate", "super"] {
        let begin = format!("{root}::");
        for (at, _) in plain.match_indices(&begin) {
            let before = plain[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let path = plain[at..]
                .split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
                .next()
                .unwrap_or_default();
            found.push(path.trim_end_matches(':').to_owned());
        }
    }
    found
}

/// Where the next `use` begins.
fn next_use(code: &str) -> Option<usize> {
    code.match_indices("use ").map(|(at, _)| at).find(|at| {
        let line = code[..*at].rsplit('\n').next().unwrap_or_default().trim();
        line.is_empty() || line == "pub" || line.starts_with("pub(") && line.ends_with(')')
    })
}

fn branches(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let Some((head, inside)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
        if !path.is_empty() {
            found.push(
                format!("{prefix}{path}")
                    .trim_start_matches("::")
                    .to_owned(),
            );
        }
        return;
    };
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let head: String = head.chars().filter(|c| !c.is_whitespace()).collect();
    let prefix = format!("{prefix}{head}");
    let (mut depth, mut from) = (0, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches(&prefix, inside[from..at].trim(), found);
                from = at + 1;
            }
            _ => {}
        }
    }
    branches(&prefix, inside[from..].trim(), found);
}

/// Name and length in lines of each function.
pub fn functions(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| !c.is_whitespace()) {
            continue;
        }
        let signature = &code[at + 3..];
        let name: String = signature
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let (open, semicolon) = (signature.find('{'), signature.find(';'));
        let Some(open) = open.filter(|open| {
            !name.is_empty()
                && semicolon.is_none_or(|end| *open < end || signature[..end].contains('['))
        }) else {
            continue;
        };
        let end = block_end(signature, open);
        found.push((name, signature[..end].lines().count()));
    }
    found
}

#[test]
fn comments_and_strings_are_not_code() {
    let text = "use a; // use b\nlet c = \"crate::d\"; let e = '\"'; let f: &'a str = r#\"\"crate::g\"#, br#\"\"crate::j\"#;\n/* crate::h */ fn i() {}";
    let code = code(text);
    assert_eq!(code.lines().count(), 3);
    for hidden in ["use b", "crate::d", "crate::g", "crate::h", "crate::j"] {
        assert!(!code.contains(hidden), "{hidden}: {code}");
    }
    assert!(
        code.contains("&'a str") && code.contains("fn i()"),
        "{code}"
    );
}

#[test]
fn paths_in_braces_are_seen() {
    let text = "use crate::mail;\npub(super) use crate::{\n    accounts, db::{users, mails as letters},\n};\nuse store::Db;\nfn f(a: super::app::App) { store::open(); xstore::no(); }";
    let mut found = paths(text);
    found.sort();
    assert_eq!(
        found,
        [
            "crate::accounts",
            "crate::db::mails",
            "crate::db::users",
            "crate::mail",
            "store::Db",
            "super::app::App"
        ]
    );
}

#[test]
fn functions_have_lengths() {
    let text = "fn one() {\n}\nimpl A {\n    pub fn two(a: [u8; 2]) -> u8 {\n        1\n    }\n}\ntrait B { fn three(); }";
    assert_eq!(
        functions(text),
        [("one".to_owned(), 2), ("two".to_owned(), 3)]
    );
}
