//! What a registry asks for in `WWW-Authenticate` (RFC 9110, section 11.6.1).

use std::collections::BTreeMap;

/// How a registry wants a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// User and password with each request.
    Basic,
    /// A token, which the address `realm` gives.
    Bearer {
        realm: String,
        service: Option<String>,
        scope: Option<String>,
    },
}

/// The challenge in a header that the hub can meet; a token before a password.
pub fn challenge(header: &str) -> Option<Challenge> {
    let all = challenges(header);
    let of = |name: &str| {
        let mut found = all.iter().filter(|(scheme, _)| scheme == name);
        found.next().map(|(_, parameters)| parameters)
    };
    let bearer = of("bearer").and_then(|parameters| {
        Some(Challenge::Bearer {
            realm: parameters.get("realm")?.clone(),
            service: parameters.get("service").cloned(),
            scope: parameters.get("scope").cloned(),
        })
    });
    bearer.or_else(|| of("basic").map(|_| Challenge::Basic))
}

type Parameters = BTreeMap<String, String>;

/// Schemes and their parameters, both in small letters. A word that no equals sign
/// follows begins a challenge.
fn challenges(header: &str) -> Vec<(String, Parameters)> {
    let mut found: Vec<(String, Parameters)> = Vec::new();
    let mut rest = header.trim_start_matches([' ', ',']);
    while !rest.is_empty() {
        let end = rest.find([' ', ',', '=']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let word = word.to_ascii_lowercase();
        rest = match after.strip_prefix('=') {
            Some(value) => {
                let (text, after) = value_of(value);
                if let Some((_, parameters)) = found.last_mut() {
                    parameters.insert(word, text);
                }
                after
            }
            None => {
                found.push((word, Parameters::new()));
                after
            }
        };
        rest = rest.trim_start_matches([' ', ',']);
    }
    found
}

/// A value, with or without quotes, and what follows it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', ',']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}
