//! Compares a document with a structure table.

use rust_decimal::Decimal;

use super::table::{Complex, Kind, Layout, Part, Text};
use crate::xml::{Element, Node};

const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";

/// The first place where a document leaves its structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Names from the document element down, with `/`.
    pub path: String,
    /// What is wrong, in Portuguese, without the document's content.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Checks `root` against the table. `namespaces` gives the address for the
/// empty label (the document's) and for the labels of the table.
///
/// # Errors
/// The first place where they differ.
pub fn check(
    layout: &Layout,
    namespaces: &[(&str, &str)],
    root: &Element,
) -> Result<(), Violation> {
    let checker = Checker { layout, namespaces };
    let path = root.name.clone();
    let Some(of) = layout.roots.get(&root.name) else {
        return checker.fail(&path, "elemento raiz não esperado");
    };
    checker.namespace(root, "", &path)?;
    checker.element(root, of, &path)
}

struct Checker<'a> {
    layout: &'a Layout,
    namespaces: &'a [(&'a str, &'a str)],
}

impl Checker<'_> {
    fn fail<T>(&self, path: &str, message: impl Into<String>) -> Result<T, Violation> {
        Err(Violation {
            path: path.to_owned(),
            message: message.into(),
        })
    }

    fn namespace(&self, element: &Element, label: &str, path: &str) -> Result<(), Violation> {
        let wanted = self
            .namespaces
            .iter()
            .find(|(l, _)| *l == label)
            .map_or("", |(_, ns)| *ns);
        if element.ns == wanted {
            Ok(())
        } else {
            self.fail(path, format!("namespace diferente de '{wanted}'"))
        }
    }

    fn element(&self, element: &Element, of: &str, path: &str) -> Result<(), Violation> {
        if of == "any" || of == "Signature" {
            return Ok(());
        }
        let Some(complex) = self.layout.types.get(of) else {
            if element.elements().next().is_some() {
                return self.fail(path, "elemento de texto com elementos dentro");
            }
            return self.text(&element.text(), of, path);
        };
        self.attributes(element, complex, path)?;
        let loose = element
            .children
            .iter()
            .any(|n| matches!(n, Node::Text(t) if !t.trim().is_empty()));
        if loose {
            return self.fail(path, "texto fora de elemento");
        }
        let children: Vec<&Element> = element.elements().collect();
        let end = self.sequence(&complex.parts, &children, 0, complex, path)?;
        match children.get(end) {
            None => Ok(()),
            Some(extra) => self.fail(path, format!("elemento '{}' não esperado", extra.name)),
        }
    }

    fn attributes(
        &self,
        element: &Element,
        complex: &Complex,
        path: &str,
    ) -> Result<(), Violation> {
        for (name, required, of) in &complex.attrs {
            match element.attr(name) {
                Some(value) => self.text(value, of, &format!("{path}@{name}"))?,
                None if *required => return self.fail(path, format!("atributo '{name}' ausente")),
                None => {}
            }
        }
        for attr in &element.attrs {
            // xsi:schemaLocation and the like are not part of the structure.
            if attr.prefix.is_empty() && !complex.attrs.iter().any(|(n, _, _)| *n == attr.name) {
                return self.fail(path, format!("atributo '{}' não esperado", attr.name));
            }
        }
        Ok(())
    }

    fn sequence(
        &self,
        parts: &[Part],
        children: &[&Element],
        from: usize,
        owner: &Complex,
        path: &str,
    ) -> Result<usize, Violation> {
        parts
            .iter()
            .try_fold(from, |at, part| self.part(part, children, at, owner, path))
    }

    /// One part with its repetitions; answers the index after it.
    fn part(
        &self,
        part: &Part,
        children: &[&Element],
        from: usize,
        owner: &Complex,
        path: &str,
    ) -> Result<usize, Violation> {
        let mut at = from;
        let mut times = 0;
        while times < part.max {
            let Some(next) = children.get(at).filter(|c| starts(part, &c.name)) else {
                break;
            };
            at = match &part.kind {
                Kind::Element { name, of } => {
                    let below = format!("{path}/{name}");
                    if of == "Signature" {
                        if next.ns != DSIG {
                            return self.fail(&below, "namespace diferente do XMLDSig");
                        }
                    } else {
                        self.namespace(next, &owner.ns, &below)?;
                    }
                    self.element(next, of, &below)?;
                    at + 1
                }
                Kind::Sequence(inner) => self.sequence(inner, children, at, owner, path)?,
                Kind::Choice(inner) => match inner.iter().find(|p| starts(p, &next.name)) {
                    Some(chosen) => self.part(chosen, children, at, owner, path)?,
                    None => break,
                },
            };
            times += 1;
        }
        if times < part.min && !(times == 0 && can_be_absent(part)) {
            let found = children
                .get(at)
                .map_or("fim do grupo".to_owned(), |c| format!("'{}'", c.name));
            return self.fail(
                path,
                format!("esperado {}, encontrado {found}", wanted(part)),
            );
        }
        Ok(at)
    }

    fn text(&self, value: &str, of: &str, path: &str) -> Result<(), Violation> {
        // A chain of types is short; the limit only stops a table that names itself.
        let mut name = of;
        for _ in 0..8 {
            let Some(text) = self.layout.texts.get(name) else {
                return Ok(());
            };
            if let Some(problem) = problem(text, value) {
                return self.fail(path, format!("conteúdo inválido ({problem})"));
            }
            match &text.is {
                Some(parent) => name = parent,
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

fn starts(part: &Part, name: &str) -> bool {
    match &part.kind {
        Kind::Element { name: own, .. } => own == name,
        Kind::Choice(inner) => inner.iter().any(|p| starts(p, name)),
        Kind::Sequence(inner) => {
            for p in inner {
                if starts(p, name) {
                    return true;
                }
                if !can_be_absent(p) {
                    return false;
                }
            }
            false
        }
    }
}

fn can_be_absent(part: &Part) -> bool {
    part.min == 0
        || match &part.kind {
            Kind::Element { .. } => false,
            Kind::Choice(inner) => inner.iter().any(can_be_absent),
            Kind::Sequence(inner) => inner.iter().all(can_be_absent),
        }
}

fn wanted(part: &Part) -> String {
    match &part.kind {
        Kind::Element { name, .. } => format!("'{name}'"),
        Kind::Choice(inner) => inner.iter().map(wanted).collect::<Vec<_>>().join(" ou "),
        Kind::Sequence(inner) => inner.first().map(wanted).unwrap_or_default(),
    }
}

/// What a text violates, or `None`.
fn problem(text: &Text, value: &str) -> Option<&'static str> {
    let collapsed = value.trim();
    let typed_ok = match text.base.as_str() {
        "" | "string" | "normalizedString" => true,
        "token" => !collapsed.is_empty(),
        "date" => is_date(collapsed),
        "dateTime" => is_date_time(collapsed),
        "boolean" => matches!(collapsed, "true" | "false" | "0" | "1"),
        "decimal" => decimal(collapsed).is_some(),
        "int" | "integer" | "byte" | "short" | "long" => integer(collapsed).is_some(),
        "nonNegativeInteger" => integer(collapsed).is_some_and(|n| n >= 0),
        "positiveInteger" => integer(collapsed).is_some_and(|n| n > 0),
        _ => true,
    };
    if !typed_ok {
        return Some("tipo");
    }
    let length = value.chars().count();
    if text.len.is_some_and(|n| length != n)
        || text.min.is_some_and(|n| length < n)
        || text.max.is_some_and(|n| length > n)
    {
        return Some("tamanho");
    }
    if !text.options.is_empty() && !text.options.iter().any(|o| o == value) {
        return Some("valor fora da lista");
    }
    let for_pattern = if text.base.is_empty() {
        value
    } else {
        collapsed
    };
    if text
        .pattern
        .as_ref()
        .is_some_and(|p| !p.matches(for_pattern))
    {
        return Some("padrão");
    }
    let digits = collapsed.chars().filter(char::is_ascii_digit).count();
    let fraction = collapsed
        .split_once('.')
        .map_or(0, |(_, f)| f.trim_end_matches('0').len());
    if text.digits.is_some_and(|n| digits > n) || text.fraction.is_some_and(|n| fraction > n) {
        return Some("dígitos");
    }
    if text.ge.is_some() || text.le.is_some() {
        let number = decimal(collapsed)?;
        if text.ge.is_some_and(|n| number < n) || text.le.is_some_and(|n| number > n) {
            return Some("fora da faixa");
        }
    }
    None
}

fn decimal(value: &str) -> Option<Decimal> {
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_digit() || b == b'.' || b == b'-' || b == b'+');
    if plain { value.parse().ok() } else { None }
}

fn integer(value: &str) -> Option<i64> {
    value.parse().ok()
}

fn is_date(value: &str) -> bool {
    crate::clock::parse_date(value.get(..10).unwrap_or_default()).is_some()
        && matches!(value.get(10..), Some("" | "Z"))
        || value.len() == 16
            && crate::clock::parse_date(value.get(..10).unwrap_or_default()).is_some()
}

fn is_date_time(value: &str) -> bool {
    let Some((date, time)) = value.split_once('T') else {
        return false;
    };
    let clock = time.get(..8).unwrap_or_default();
    let fields: Vec<&str> = clock.split(':').collect();
    crate::clock::parse_date(date).is_some()
        && fields.len() == 3
        && fields
            .iter()
            .zip([24, 60, 60])
            .all(|(f, max)| f.len() == 2 && f.parse::<u32>().is_ok_and(|n| n < max))
}
