//! The tables as the tests read them: an own reader, so that a mistake of the
//! engine's reader does not make its own test.

use std::collections::HashMap;

pub struct Table {
    pub namespace: String,
    pub roots: Vec<(String, String)>,
    pub tipos: HashMap<String, Kind>,
}

#[derive(Default, Clone)]
pub struct Kind {
    /// Built-in base of a simple type.
    pub base: Option<String>,
    pub facets: Vec<(String, String)>,
    /// Name, required, type, fixed value.
    pub attributes: Vec<(String, bool, String, Option<String>)>,
    pub unique_names: Vec<String>,
    pub simple_content: Option<String>,
    pub particle: Option<Particle>,
}

#[derive(Clone, Debug)]
pub enum O {
    Node(String, String),
    Wildcard(String),
    Sequence(Vec<Particle>),
    Choice(Vec<Particle>),
}

#[derive(Clone, Debug)]
pub struct Particle {
    pub o: O,
    pub min: u32,
    pub max: u32,
}

pub fn le(text: &str) -> Table {
    let mut table = Table {
        namespace: String::new(),
        roots: Vec::new(),
        tipos: HashMap::new(),
    };
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[0] {
            "L" => table.namespace = fields[2].to_owned(),
            "R" => table
                .roots
                .push((fields[1].to_owned(), fields[2].to_owned())),
            "S" | "s" => {
                let facets = fields[3..].iter().map(|field| {
                    let (name, value) = field.split_once('=').expect("a facet");
                    (name.to_owned(), value.to_owned())
                });
                let kind = Kind {
                    base: Some(fields[2].to_owned()),
                    facets: facets.collect(),
                    ..Kind::default()
                };
                table.tipos.insert(fields[1].to_owned(), kind);
            }
            "C" | "c" => {
                let mut kind = Kind::default();
                for field in &fields[2..] {
                    complex(&mut kind, field);
                }
                table.tipos.insert(fields[1].to_owned(), kind);
            }
            _ => {}
        }
    }
    table
}

fn complex(kind: &mut Kind, field: &str) {
    if field == "misto" || field == "@*" {
        return;
    }
    if let Some(attribute) = field.strip_prefix('@') {
        let (name, rest) = attribute.split_once('=').expect("an attribute");
        let (from, fixed) = match rest.split_once('=') {
            Some((from, fixed)) => (from, Some(fixed.to_owned())),
            None => (rest, None),
        };
        let clean = name.trim_end_matches('!').to_owned();
        kind.attributes
            .push((clean, name.ends_with('!'), from.to_owned(), fixed));
    } else if let Some(simples) = field.strip_prefix('$') {
        kind.simple_content = Some(simples.to_owned());
    } else if let Some(unique) = field.strip_prefix('^') {
        let (_, attribute) = unique.split_once('@').expect("a unique");
        kind.unique_names.push(attribute.to_owned());
    } else {
        let mut rest = field;
        kind.particle = Some(particle(&mut rest));
        assert_eq!(rest, "", "{field}");
    }
}

fn particle(rest: &mut &str) -> Particle {
    let o = if let Some(inside) = rest.strip_prefix('(') {
        *rest = inside;
        let mut parts = Vec::new();
        let mut choice = false;
        loop {
            if let Some(after) = rest.strip_prefix(')') {
                *rest = after;
                break;
            }
            if let Some(after) = rest.strip_prefix(['|', ',']) {
                choice = rest.starts_with('|');
                *rest = after;
            }
            parts.push(particle(rest));
        }
        if choice {
            O::Choice(parts)
        } else {
            O::Sequence(parts)
        }
    } else {
        let (start, wildcard) = if rest.starts_with("*=") {
            (1, true)
        } else {
            (0, false)
        };
        let end = rest[start..].find('=').expect("a type") + start + 1;
        // `##other(ds)/lax` has brackets of its own.
        let name = if wildcard {
            let slash = rest.find('/').expect("a wildcard");
            slash + 1
        } else {
            end
        };
        let kind_end = rest[name..]
            .find(['?', '*', '+', '{', ',', '|', ')'])
            .map_or(rest.len(), |place| place + name);
        let finding = if wildcard {
            O::Wildcard(rest[..kind_end].to_owned())
        } else {
            O::Node(rest[..end - 1].to_owned(), rest[end..kind_end].to_owned())
        };
        *rest = &rest[kind_end..];
        finding
    };
    let (min, max, consumed) = match rest.chars().next() {
        Some('?') => (0, 1, 1),
        Some('*') => (0, u32::MAX, 1),
        Some('+') => (1, u32::MAX, 1),
        Some('{') => {
            let end = rest.find('}').expect("a count");
            let (from, until) = rest[1..end].split_once(',').expect("two numbers");
            (
                from.parse().expect("a number"),
                until.parse().unwrap_or(u32::MAX),
                end + 1,
            )
        }
        _ => (1, 1, 0),
    };
    *rest = &rest[consumed..];
    Particle { o, min, max }
}
