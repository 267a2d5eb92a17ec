//! Elements and complex types to lines of the table.

use super::{Filled, Recipe};
use crate::layout::compile::output::Output;
use crate::layout::compile::set::{Part, Set, XSD};
use crate::layout::compile::simple::{self, Simples};
use crate::xmldsig::DSIG_NAMESPACE;

/// Deepest nesting of types.
const MAX_DEPTH: usize = 48;

/// Writes every global element of the set, and what it needs.
pub(super) fn global_elements(
    set: &Set<'_>,
    recipe: &Recipe,
    output: &mut Output,
) -> Result<(), String> {
    let compiler = Compiler { set, recipe };
    let known = |ns: &str| ns == recipe.namespace || ns == DSIG_NAMESPACE;
    if let Some((ns, name)) = set.kinds().find(|(ns, _)| !known(ns)) {
        return Err(format!(
            "{name} is in the namespace {ns:?}, not the layout's"
        ));
    }
    for (ns, name) in set.elements() {
        let element = set.element(ns, name)?;
        let kind = compiler.element_kind(element, output, 0)?;
        let name = output.qname(ns, name);
        output.root(&name, &kind);
    }
    for (name, kind) in recipe.roots {
        let Some((ns, _)) = set.kinds().find(|(_, other)| other == kind) else {
            continue;
        };
        let ns = ns.to_owned();
        let reference = compiler.named_kind(&ns, kind, output, 0)?;
        let name = output.qname(&ns, name);
        output.root(&name, &reference);
    }
    compiler.derived(output)
}

struct Compiler<'c, 't> {
    set: &'c Set<'t>,
    recipe: &'c Recipe,
}

impl Compiler<'_, '_> {
    /// Named simple types that restrict one in the table: an `xsi:type` may name them.
    fn derived(&self, output: &mut Output) -> Result<(), String> {
        let kinds: Vec<(String, String)> = self
            .set
            .kinds()
            .map(|(ns, name)| (ns.to_owned(), name.to_owned()))
            .collect();
        loop {
            let mut grew = false;
            for (ns, name) in &kinds {
                let definition = self.set.kind(ns, name)?;
                let qname = output.qname(ns, name);
                if definition.element.name() != "simpleType" || output.has(&qname) {
                    continue;
                }
                let simples = simple::of_definition(self.set, definition, 0)?;
                let Some((parent_ns, parent)) = &simples.parent else {
                    continue;
                };
                if output.has(&output.qname(parent_ns, parent)) {
                    self.named_kind(ns, name, output, 0)?;
                    grew = true;
                }
            }
            if !grew {
                return Ok(());
            }
        }
    }

    fn named_kind(
        &self,
        ns: &str,
        name: &str,
        output: &mut Output,
        depth: usize,
    ) -> Result<String, String> {
        if ns == XSD {
            Simples::embedded(name)?;
            return Ok(format!("xs:{name}"));
        }
        let definition = self.set.kind(ns, name)?;
        let suggestion = output.qname(ns, name);
        self.kind(definition, &suggestion, Vec::new(), output, depth + 1)
            .map_err(|error| format!("{name}: {error}"))
    }

    /// Type of a local or global element declaration.
    fn element_kind(
        &self,
        element: Part<'_>,
        output: &mut Output,
        depth: usize,
    ) -> Result<String, String> {
        let name = element.attribute("name").ok_or("an element without name")?;
        for forbidden in ["nillable", "abstract", "substitutionGroup", "default"] {
            if element.attribute(forbidden).is_some() {
                return Err(format!("{name}: {forbidden} is not supported"));
            }
        }
        let mut constraints = Vec::new();
        for child in element.children() {
            match child.element.name() {
                "unique" => constraints.push(unique(child).map_err(|e| format!("{name}: {e}"))?),
                "simpleType" | "complexType" => {}
                other => return Err(format!("{name}: {other} is not supported")),
            }
        }
        let anonymous = element
            .child("complexType")
            .or_else(|| element.child("simpleType"));
        let kind = match (anonymous, element.attribute("type")) {
            (Some(_), None) if element.attribute("fixed").is_some() => {
                Err("fixed is only read beside a named type".to_owned())
            }
            (Some(definition), None) => self.kind(definition, name, constraints, output, depth + 1),
            (None, Some(qname)) => {
                let (ns, kind) = self.set.qname(element, qname)?;
                if let Some(fixed) = element.attribute("fixed") {
                    let simples = simple::by_name(self.set, element, qname, 0)?.fixed(fixed);
                    Ok(self.simples(&simples, None, name, output))
                } else if constraints.is_empty() {
                    self.named_kind(&ns, kind, output, depth)
                } else {
                    let definition = self.set.kind(&ns, kind)?;
                    self.kind(definition, name, constraints, output, depth + 1)
                }
            }
            _ => Err("an element with no type or two".to_owned()),
        };
        kind.map_err(|error| format!("{name}: {error}"))
    }

    /// Writes a type and gives the name it has in the table.
    fn kind(
        &self,
        definition: Part<'_>,
        suggestion: &str,
        unique: Vec<String>,
        output: &mut Output,
        depth: usize,
    ) -> Result<String, String> {
        if depth > MAX_DEPTH {
            return Err("types are nested too deeply".to_owned());
        }
        if definition.element.name() == "simpleType" {
            let simples = simple::of_definition(self.set, definition, 0)?;
            return Ok(self.simples(&simples, definition.attribute("name"), suggestion, output));
        }
        let mut fields = Vec::new();
        if definition.attribute("mixed") == Some("true") {
            fields.push("misto".to_owned());
        }
        for child in definition.children() {
            match child.element.name() {
                "sequence" | "choice" => {
                    if let Some(content) = self.group(child, output, depth)? {
                        let integer = matches!(content.chars().last(), Some(')'))
                            && content.starts_with('(')
                            && closes_at_end(&content);
                        fields.push(if integer {
                            content
                        } else {
                            format!("({content})")
                        });
                    }
                }
                "attribute" => {
                    fields.extend(self.attribute(child, suggestion, output)?);
                }
                "anyAttribute" => fields.push(attribute_wildcard(child)?),
                "simpleContent" => self.simple_content(child, suggestion, output, &mut fields)?,
                other => return Err(format!("{other} in a complex type is not supported")),
            }
        }
        fields.extend(unique);
        let named =
            definition.attribute("name").is_some() && !fields.iter().any(|c| c.starts_with('^'));
        Ok(output.kind(if named { 'C' } else { 'c' }, suggestion, fields, None))
    }

    fn simples(
        &self,
        simples: &Simples,
        name: Option<&str>,
        suggestion: &str,
        output: &mut Output,
    ) -> String {
        let parent = simples
            .parent
            .as_ref()
            .map(|(ns, name)| output.qname(ns, name));
        let parent = parent.filter(|_| name.is_some());
        let letter = if name.is_some() { 'S' } else { 's' };
        output.kind(letter, suggestion, simples.fields(), parent)
    }

    fn simple_content(
        &self,
        content: Part<'_>,
        suggestion: &str,
        output: &mut Output,
        fields: &mut Vec<String>,
    ) -> Result<(), String> {
        let extension = content
            .child("extension")
            .ok_or("simple content is only read when it extends")?;
        let base = extension
            .attribute("base")
            .ok_or("an extension of nothing")?;
        let (ns, name) = self.set.qname(extension, base)?;
        fields.push(format!("${}", self.named_kind(&ns, name, output, 0)?));
        for child in extension.children() {
            match child.element.name() {
                "attribute" => fields.extend(self.attribute(child, suggestion, output)?),
                other => return Err(format!("{other} in an extension is not supported")),
            }
        }
        Ok(())
    }

    fn attribute(
        &self,
        attribute: Part<'_>,
        owner: &str,
        output: &mut Output,
    ) -> Result<Option<String>, String> {
        let name = attribute
            .attribute("name")
            .ok_or("a reference to an attribute is not supported")?;
        if attribute.attribute("form") == Some("qualified") {
            return Err(format!("{name}: a qualified attribute is not supported"));
        }
        let mandatory = match attribute.attribute("use") {
            None | Some("optional") => "",
            Some("required") => "!",
            Some(_) => return Ok(None),
        };
        let kind = match (attribute.child("simpleType"), attribute.attribute("type")) {
            (Some(definition), None) => {
                let simples = simple::of_definition(self.set, definition, 0)?;
                let owner = owner.rsplit_once(':').map_or(owner, |(_, name)| name);
                self.simples(&simples, None, &format!("{owner}@{name}"), output)
            }
            (None, Some(qname)) => {
                let (ns, kind) = self.set.qname(attribute, qname)?;
                self.named_kind(&ns, kind, output, 0)?
            }
            _ => return Err(format!("{name}: an attribute with no type or two")),
        };
        let fixed = attribute.attribute("fixed").map(|v| format!("={v}"));
        Ok(Some(format!(
            "@{name}{mandatory}={kind}{}",
            fixed.unwrap_or_default()
        )))
    }

    /// A sequence or choice, with its occurrence; nothing if it may hold nothing.
    fn group(
        &self,
        group: Part<'_>,
        output: &mut Output,
        depth: usize,
    ) -> Result<Option<String>, String> {
        if depth > MAX_DEPTH {
            return Err("groups are nested too deeply".to_owned());
        }
        let Some(times) = occurrence(group)? else {
            return Ok(None);
        };
        let choice = group.element.name() == "choice";
        let mut parts = Vec::new();
        for child in group.children() {
            match child.element.name() {
                "element" => parts.extend(self.particle(child, output, depth)?),
                "sequence" | "choice" => parts.extend(self.group(child, output, depth + 1)?),
                "any" => match self.recipe.filled.filter(|filled| holds(filled, child)) {
                    Some(filled) => parts.push(self.alternatives(filled, output, depth)?),
                    None => parts.extend(self.wildcard(child, output)?),
                },
                other => return Err(format!("{other} in a group is not supported")),
            }
        }
        // A group of one that occurs once is what it holds; one that repeats
        // a single element is that element repeated.
        if let [only] = parts.as_slice()
            && (times.is_empty() || !only.ends_with(['?', '*', '+', '}', ')']))
        {
            return Ok(Some(format!("{only}{times}")));
        }
        let separator = if choice { "|" } else { "," };
        Ok(Some(format!("({}){times}", parts.join(separator))))
    }

    fn particle(
        &self,
        element: Part<'_>,
        output: &mut Output,
        depth: usize,
    ) -> Result<Option<String>, String> {
        let Some(times) = occurrence(element)? else {
            return Ok(None);
        };
        let (ns, name, declaration) = match element.attribute("ref") {
            Some(qname) => {
                let (ns, name) = self.set.qname(element, qname)?;
                let declaration = self.set.element(&ns, name)?;
                (ns, name, declaration)
            }
            None => {
                let name = element.attribute("name").ok_or("an element without name")?;
                (self.set.target(element).to_owned(), name, element)
            }
        };
        let swapped = (name == "detEvento" && self.recipe.det_evento.is_some())
            .then(|| self.set.element(&ns, name))
            .transpose()?;
        let kind = self.element_kind(swapped.unwrap_or(declaration), output, depth + 1)?;
        Ok(Some(format!("{}={kind}{times}", output.qname(&ns, name))))
    }

    /// One of the elements that may stand in place of a wildcard.
    fn alternatives(
        &self,
        filled: Filled,
        output: &mut Output,
        depth: usize,
    ) -> Result<String, String> {
        let ns = self.recipe.namespace;
        let mut parts = Vec::new();
        for (_, name) in filled.with {
            let declaration = self.set.element(ns, name)?;
            let kind = self.element_kind(declaration, output, depth + 1)?;
            parts.push(format!("{}={kind}", output.qname(ns, name)));
        }
        match parts.as_slice() {
            [only] => Ok(only.clone()),
            _ => Ok(format!("({})", parts.join("|"))),
        }
    }

    fn wildcard(&self, wildcard: Part<'_>, output: &mut Output) -> Result<Option<String>, String> {
        let Some(times) = occurrence(wildcard)? else {
            return Ok(None);
        };
        let namespace = match wildcard.attribute("namespace") {
            None | Some("##any") => "##any".to_owned(),
            Some("##other") => {
                let target = self.set.target(wildcard);
                let qname = output.qname(target, "x");
                format!("##other({})", qname.split_once(':').map_or("", |(p, _)| p))
            }
            Some(other) => return Err(format!("a wildcard of {other} is not supported")),
        };
        let check = wildcard.attribute("processContents").unwrap_or("strict");
        Ok(Some(format!("*={namespace}/{check}{times}")))
    }
}

/// Is a wildcard the content of the element that is filled?
fn holds(filled: &Filled, wildcard: Part<'_>) -> bool {
    let mut above = wildcard.element.parent();
    while let Some(element) = above {
        if element.name() == "element" {
            return element.attribute("name") == Some(filled.element);
        }
        above = element.parent();
    }
    false
}

/// Does the last bracket close the first?
fn closes_at_end(content: &str) -> bool {
    let mut depth = 0usize;
    for (index, byte) in content.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1 == content.len();
        }
    }
    false
}

/// `?`, `*`, `+`, `{n,m}` or nothing; `None` when it never occurs.
fn occurrence(part: Part<'_>) -> Result<Option<String>, String> {
    let number = |text: &str| {
        text.parse::<u32>()
            .map_err(|_| format!("{text:?} is not an occurrence"))
    };
    let min = number(part.attribute("minOccurs").unwrap_or("1"))?;
    let max = match part.attribute("maxOccurs").unwrap_or("1") {
        "unbounded" => None,
        text => Some(number(text)?),
    };
    Ok(match (min, max) {
        (_, Some(0)) => None,
        (1, Some(1)) => Some(String::new()),
        (0, Some(1)) => Some("?".to_owned()),
        (0, None) => Some("*".to_owned()),
        (1, None) => Some("+".to_owned()),
        (min, None) => Some(format!("{{{min},}}")),
        (min, Some(max)) if min <= max => Some(format!("{{{min},{max}}}")),
        _ => return Err("maxOccurs below minOccurs".to_owned()),
    })
}

/// `^filhos@nItem`: children (or all descendants) that differ in an attribute.
fn unique(unique: Part<'_>) -> Result<String, String> {
    let xpath = |name| unique.child(name).and_then(|part| part.attribute("xpath"));
    let reach = match xpath("selector") {
        Some("./*" | "*") => "filhos",
        Some(".//*") => "todos",
        other => return Err(format!("unique over {other:?} is not supported")),
    };
    let field = xpath("field").and_then(|field| field.strip_prefix('@'));
    let field = field.ok_or("unique by something else than an attribute")?;
    Ok(format!("^{reach}@{field}"))
}

fn attribute_wildcard(wildcard: Part<'_>) -> Result<String, String> {
    match (
        wildcard.attribute("namespace"),
        wildcard.attribute("processContents"),
    ) {
        (None | Some("##any"), Some("skip")) => Ok("@*".to_owned()),
        _ => Err("this wildcard of attributes is not supported".to_owned()),
    }
}
