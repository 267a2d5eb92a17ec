//! Simple types, with what they inherit.

use crate::layout::compile::set::{Part, Set, XSD};

/// Built-in types the engine can judge.
const EMBEDDED: &[&str] = &[
    "string",
    "normalizedString",
    "token",
    "ID",
    "NCName",
    "anyURI",
    "base64Binary",
    "date",
    "dateTime",
    "gYearMonth",
    "boolean",
    "decimal",
    "integer",
    "nonNegativeInteger",
    "positiveInteger",
    "long",
    "int",
    "short",
    "byte",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
];
/// Longest chain of derivations.
const MAX_DEPTH: usize = 16;

/// A simple type down to its built-in base.
#[derive(Clone, Default)]
pub(super) struct Simples {
    /// Name without prefix: `string`.
    pub base: String,
    /// Nearest named type this one restricts, if it is not built in.
    pub parent: Option<(String, String)>,
    spaces: Option<String>,
    /// One per step of derivation: all must fit.
    patterns: Vec<String>,
    values: Vec<String>,
    /// Facets with one value: name in the table and value.
    bounds: Vec<(&'static str, String)>,
}

impl Simples {
    /// A built-in type itself.
    pub fn embedded(name: &str) -> Result<Simples, String> {
        if !EMBEDDED.contains(&name) {
            return Err(format!("the built-in type {name} is not supported"));
        }
        Ok(Simples {
            base: name.to_owned(),
            ..Simples::default()
        })
    }

    /// The type of an element that has one value: it, or nothing, which stands
    /// for it (XSD part 1, §3.3.4).
    pub fn fixed(self, value: &str) -> Simples {
        Simples {
            values: vec![value.to_owned(), String::new()],
            patterns: Vec::new(),
            bounds: Vec::new(),
            ..self
        }
    }

    /// Fields of the table after the name.
    pub fn fields(&self) -> Vec<String> {
        let mut fields = vec![format!("xs:{}", self.base)];
        if let Some(spaces) = &self.spaces {
            fields.push(format!("espacos={spaces}"));
        }
        for (name, value) in &self.bounds {
            fields.push(format!("{name}={value}"));
        }
        fields.extend(self.patterns.iter().map(|p| format!("padrao={p}")));
        fields.extend(self.values.iter().map(|v| format!("valor={v}")));
        fields
    }

    fn limit(&mut self, name: &'static str, value: &str) {
        match self.bounds.iter_mut().find(|(other, _)| *other == name) {
            Some((_, before)) => *before = value.to_owned(),
            None => self.bounds.push((name, value.to_owned())),
        }
        self.bounds.sort_unstable();
    }

    fn facet(&mut self, name: &str, value: &str, step: &mut Step) -> Result<(), String> {
        if value.contains(['\t', '\n', '\r']) {
            return Err(format!("{name} with a blank that is not a space"));
        }
        match name {
            "whiteSpace" => {
                let usual = if self.base == "string" {
                    "preserve"
                } else {
                    "collapse"
                };
                self.spaces = (value != usual).then(|| value.to_owned());
            }
            "pattern" => step.patterns.push(value.to_owned()),
            "enumeration" => step.values.push(value.to_owned()),
            "length" => self.limit("tamanho", value),
            "minLength" => self.limit("min", value),
            "maxLength" => self.limit("max", value),
            "minInclusive" => self.limit("de", value),
            "maxInclusive" => self.limit("ate", value),
            "totalDigits" => self.limit("digitos", value),
            "fractionDigits" => self.limit("decimais", value),
            _ => return Err(format!("the facet {name} is not supported")),
        }
        Ok(())
    }
}

/// What one restriction adds.
#[derive(Default)]
struct Step {
    patterns: Vec<String>,
    values: Vec<String>,
}

/// The type a `QName` names.
pub(super) fn by_name(
    set: &Set<'_>,
    part: Part<'_>,
    qname: &str,
    depth: usize,
) -> Result<Simples, String> {
    if depth > MAX_DEPTH {
        return Err(format!("{qname}: derived too often"));
    }
    let (ns, name) = set.qname(part, qname)?;
    if ns == XSD {
        return Simples::embedded(name);
    }
    let definition = set.kind(&ns, name)?;
    let mut simples =
        of_definition(set, definition, depth + 1).map_err(|error| format!("{name}: {error}"))?;
    simples.parent = Some((ns, name.to_owned()));
    Ok(simples)
}

/// The type a `simpleType` element defines; its `parent` is what it restricts.
pub(super) fn of_definition(
    set: &Set<'_>,
    definition: Part<'_>,
    depth: usize,
) -> Result<Simples, String> {
    if depth > MAX_DEPTH {
        return Err("derived too often".to_owned());
    }
    if definition.element.name() != "simpleType" {
        return Err("a simple type is expected".to_owned());
    }
    let restriction = definition
        .child("restriction")
        .ok_or("only restrictions of simple types are supported")?;
    let mut simples = match restriction.attribute("base") {
        Some(base) => by_name(set, restriction, base, depth + 1)?,
        None => {
            let within = restriction
                .child("simpleType")
                .ok_or("a restriction of nothing")?;
            of_definition(set, within, depth + 1)?
        }
    };
    let mut step = Step::default();
    for facet in restriction.children() {
        let name = facet.element.name();
        if name == "simpleType" {
            continue;
        }
        let value = facet.attribute("value").ok_or("a facet without value")?;
        simples.facet(name, value, &mut step)?;
    }
    // Patterns of one step are alternatives (XSD part 2, §4.3.4.3), those of
    // different steps all hold; enumerations of a step replace inherited ones.
    if !step.patterns.is_empty() {
        let pattern = step.patterns.join("|");
        if !simples.patterns.contains(&pattern) {
            simples.patterns.push(pattern);
        }
    }
    if !step.values.is_empty() {
        simples.values = step.values;
    }
    Ok(simples)
}
