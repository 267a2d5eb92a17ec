//! Reads a structure table.

use std::collections::HashMap;

use rust_decimal::Decimal;

use super::pattern::Pattern;

/// A structure table in memory.
#[derive(Debug, Default)]
pub struct Layout {
    /// Document element to type.
    pub(super) roots: HashMap<String, String>,
    pub(super) types: HashMap<String, Complex>,
    pub(super) texts: HashMap<String, Text>,
}

#[derive(Debug, Default)]
pub(super) struct Complex {
    /// Label of the namespace of this type's children; empty: the document's.
    pub ns: String,
    /// (name, required, type)
    pub attrs: Vec<(String, bool, String)>,
    pub parts: Vec<Part>,
}

#[derive(Debug)]
pub(super) struct Part {
    pub min: usize,
    pub max: usize,
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Element { name: String, of: String },
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
}

#[derive(Debug, Default)]
pub(super) struct Text {
    pub is: Option<String>,
    pub base: String,
    pub len: Option<usize>,
    pub min: Option<usize>,
    pub max: Option<usize>,
    pub options: Vec<String>,
    pub pattern: Option<Pattern>,
    pub digits: Option<usize>,
    pub fraction: Option<usize>,
    pub ge: Option<Decimal>,
    pub le: Option<Decimal>,
}

impl Layout {
    /// Reads a table.
    ///
    /// # Errors
    /// The line that cannot be read, or a type that is named and not there.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut layout = Layout::default();
        let lines: Vec<&str> = source
            .lines()
            .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
            .collect();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            let (word, rest) = line.split_once(' ').ok_or_else(|| line.to_string())?;
            match word {
                "root" => {
                    let (name, of) = rest.split_once(' ').ok_or_else(|| line.to_string())?;
                    layout.roots.insert(name.to_owned(), of.to_owned());
                }
                "type" => {
                    let (name, ns) = rest.split_once(" ns:").unwrap_or((rest, ""));
                    let mut complex = Complex {
                        ns: ns.to_owned(),
                        ..Complex::default()
                    };
                    while let Some(attr) = lines.get(at).and_then(|l| l.strip_prefix("  @")) {
                        at += 1;
                        let (name, of) = attr.split_once(' ').ok_or_else(|| line.to_string())?;
                        let required = !name.ends_with('?');
                        complex.attrs.push((
                            name.trim_end_matches('?').to_owned(),
                            required,
                            of.to_owned(),
                        ));
                    }
                    complex.parts = parts(&lines, &mut at, 1)?;
                    layout.types.insert(name.to_owned(), complex);
                }
                "text" => {
                    let (name, facets) = rest.split_once(' ').unwrap_or((rest, ""));
                    layout.texts.insert(
                        name.to_owned(),
                        text(facets).ok_or_else(|| line.to_string())?,
                    );
                }
                _ => return Err(line.to_string()),
            }
        }
        layout.complete()
    }

    /// Every type named must be in the table.
    fn complete(self) -> Result<Self, String> {
        fn walk(layout: &Layout, parts: &[Part]) -> Result<(), String> {
            for part in parts {
                match &part.kind {
                    Kind::Element { of, .. } => layout.known(of)?,
                    Kind::Sequence(inner) | Kind::Choice(inner) => walk(layout, inner)?,
                }
            }
            Ok(())
        }
        for of in self.roots.values() {
            self.known(of)?;
        }
        for complex in self.types.values() {
            walk(&self, &complex.parts)?;
            for (_, _, of) in &complex.attrs {
                self.known(of)?;
            }
        }
        Ok(self)
    }

    fn known(&self, of: &str) -> Result<(), String> {
        let known = self.types.contains_key(of)
            || self.texts.contains_key(of)
            || matches!(of, "Signature" | "any" | "string");
        if known {
            Ok(())
        } else {
            Err(format!("unknown type {of}"))
        }
    }
}

/// Lines of one depth (two spaces each), recursively.
fn parts(lines: &[&str], at: &mut usize, depth: usize) -> Result<Vec<Part>, String> {
    let mut all = Vec::new();
    let indent = "  ".repeat(depth);
    while let Some(line) = lines.get(*at).and_then(|l| l.strip_prefix(&indent)) {
        if line.starts_with(' ') {
            return Err(line.to_owned());
        }
        *at += 1;
        let (head, of) = line.split_once(' ').unwrap_or((line, ""));
        let (name, min, max) = occurrence(head).ok_or_else(|| line.to_owned())?;
        let kind = match (name, of) {
            ("seq", "") => Kind::Sequence(parts(lines, at, depth + 1)?),
            ("alt", "") => Kind::Choice(parts(lines, at, depth + 1)?),
            (_, "") => return Err(line.to_owned()),
            (name, of) => Kind::Element {
                name: name.to_owned(),
                of: of.to_owned(),
            },
        };
        all.push(Part { min, max, kind });
    }
    Ok(all)
}

fn occurrence(head: &str) -> Option<(&str, usize, usize)> {
    if let Some(name) = head.strip_suffix('?') {
        return Some((name, 0, 1));
    }
    let Some((name, range)) = head.split_once('{') else {
        return Some((head, 1, 1));
    };
    let (a, b) = range.strip_suffix('}')?.split_once(',')?;
    Some((
        name,
        a.parse().ok()?,
        if b.is_empty() {
            usize::MAX
        } else {
            b.parse().ok()?
        },
    ))
}

/// Facets are separated by spaces; `enum` and `pat` take the rest of the line.
fn text(facets: &str) -> Option<Text> {
    let mut text = Text::default();
    let mut rest = facets.trim();
    while !rest.is_empty() {
        let (key, after) = rest.split_once(':')?;
        if key == "enum" {
            text.options = after.split('|').map(str::to_owned).collect();
            return Some(text);
        }
        if key == "pat" {
            text.pattern = Some(Pattern::new(after)?);
            return Some(text);
        }
        let (value, next) = after.split_once(' ').unwrap_or((after, ""));
        match key {
            "is" => text.is = Some(value.to_owned()),
            "base" => text.base = value.to_owned(),
            "len" => text.len = value.parse().ok(),
            "min" => text.min = value.parse().ok(),
            "max" => text.max = value.parse().ok(),
            "digits" => text.digits = value.parse().ok(),
            "fraction" => text.fraction = value.parse().ok(),
            "ge" => text.ge = value.parse().ok(),
            "le" => text.le = value.parse().ok(),
            _ => return None,
        }
        rest = next.trim_start();
    }
    Some(text)
}
