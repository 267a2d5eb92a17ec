//! Values a simple type allows.

use super::model::Table;

/// Longest sample of an open range.
const MAX_OPEN: u32 = 3;
/// Alternatives of a pattern that are tried for a length.
const MAX_ALTERNATIVES: usize = 8;

pub fn value(table: &Table, kind: &str, full: bool, branch: usize) -> String {
    let empty = Vec::new();
    let (base, facets) = match table.tipos.get(kind) {
        Some(definition) => (definition.base.as_deref().unwrap_or(""), &definition.facets),
        None => (kind, &empty),
    };
    let from = |name: &'static str| {
        facets
            .iter()
            .filter(move |(other, _)| other == name)
            .map(|(_, value)| value)
    };
    let values: Vec<&String> = from("valor").collect();
    if !values.is_empty() {
        return values[branch % values.len()].clone();
    }
    let number = |name: &'static str| from(name).next().and_then(|v| v.parse::<usize>().ok());
    let pattern = from("padrao").next_back();
    let (min, max) = match number("tamanho") {
        Some(n) => (Some(n), Some(n)),
        None => (number("min"), number("max")),
    };
    if let Some(pattern) = pattern.filter(|p| p.contains("-02-29")) {
        let hour = if pattern.contains(")T(") {
            "T10:20:30-03:00"
        } else {
            ""
        };
        return format!("2026-01-31{hour}");
    }
    if let Some(pattern) = pattern.filter(|p| !free(p)) {
        let mut text = Sample { full, branch }.of_pattern(pattern);
        // An alternative may be shorter than a further facet takes.
        let enough = |text: &String| text.chars().count() >= min.unwrap_or(0);
        if !enough(&text) {
            let others = (0..MAX_ALTERNATIVES).map(|branch| Sample { full: true, branch });
            let mut others = others.map(|sample| sample.of_pattern(pattern));
            text = others.find(enough).unwrap_or(text);
        }
        // An open end reaches the length a further facet asks for.
        while pattern.ends_with('+') && text.len() < min.unwrap_or(0) {
            text.push(text.chars().last().expect("a sample"));
        }
        return text;
    }
    if base == "xs:string" || base == "xs:token" || base == "xs:anyURI" {
        let short = min.unwrap_or(1).max(1);
        let long = max.unwrap_or(30).min(400).max(short);
        let letters = if full { long } else { short };
        return "Aç"
            .chars()
            .cycle()
            .take(letters - 1)
            .chain(['z'])
            .collect();
    }
    match base {
        "xs:date" => "2026-01-31",
        "xs:dateTime" => "2026-01-31T10:20:30-03:00",
        "xs:gYearMonth" => "2026-02",
        "xs:base64Binary" if min == Some(20) => "QUJDREVGR0hJSktMTU5PUFFSU1Q=",
        "xs:base64Binary" => "QUJDRA==",
        "xs:integer" | "xs:int" => "12",
        "xs:ID" => "a1",
        other => panic!("{other}"),
    }
    .to_owned()
}

/// Patterns that any text of one line fits: the length decides.
fn free(pattern: &str) -> bool {
    pattern.starts_with("[!-ÿ]{1}[ -ÿ]") || pattern.starts_with("[\\s\\S")
}

struct Sample {
    full: bool,
    branch: usize,
}

impl Sample {
    fn of_pattern(&self, pattern: &str) -> String {
        let letters: Vec<char> = pattern.chars().collect();
        let mut at = 0;
        let text = self.choice(&letters, &mut at);
        assert_eq!(at, letters.len(), "{pattern}");
        text
    }

    fn choice(&self, p: &[char], at: &mut usize) -> String {
        let mut branches = vec![self.sequence(p, at)];
        while p.get(*at) == Some(&'|') {
            *at += 1;
            branches.push(self.sequence(p, at));
        }
        let branch = self.branch % branches.len();
        branches.swap_remove(branch)
    }

    fn sequence(&self, p: &[char], at: &mut usize) -> String {
        let mut output = String::new();
        while let Some(c) = p.get(*at).copied() {
            let atom = match c {
                '|' | ')' => break,
                '(' => {
                    *at += 1;
                    let inside = self.choice(p, at);
                    *at += 1;
                    inside
                }
                '[' => class(p, at),
                '\\' => {
                    *at += 2;
                    match p[*at - 1] {
                        'd' => "7".to_owned(),
                        other => other.to_string(),
                    }
                }
                '.' => {
                    *at += 1;
                    "x".to_owned()
                }
                other => {
                    *at += 1;
                    other.to_string()
                }
            };
            let (min, max) = quantifier(p, at);
            let times = if self.full { max } else { min };
            output.push_str(&atom.repeat(times as usize));
        }
        output
    }
}

fn class(p: &[char], at: &mut usize) -> String {
    *at += 1;
    let first = match p[*at] {
        '\\' => {
            *at += 1;
            match p[*at] {
                's' | 'd' => '7',
                other => other,
            }
        }
        // The first that needs no escaping in XML.
        '!' => 'A',
        '0' if p.get(*at + 1..*at + 3) == Some(&['-', '9']) => '5',
        other => other,
    };
    // A class may hold an escaped bracket; the official ones do not.
    while p[*at] != ']' {
        *at += 1;
    }
    *at += 1;
    first.to_string()
}

fn quantifier(p: &[char], at: &mut usize) -> (u32, u32) {
    let (min, max) = match p.get(*at) {
        Some('?') => (0, 1),
        Some('*') => (0, MAX_OPEN),
        Some('+') => (1, MAX_OPEN),
        Some('{') => {
            let end = p[*at..].iter().position(|c| *c == '}').expect("a count") + *at;
            let text: String = p[*at + 1..end].iter().collect();
            *at = end;
            let (from, until) = text.split_once(',').unwrap_or((&text, &text));
            let from: u32 = from.parse().expect("a number");
            (from, until.parse().unwrap_or(from + MAX_OPEN))
        }
        _ => return (1, 1),
    };
    *at += 1;
    (min, max)
}
