//! A schema document with all it includes and imports, and its global names.

use std::collections::{BTreeMap, BTreeSet};

use super::Ler;
use crate::xml::{Document, Element};

pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";
/// Files of one set: far above the official ones.
const MAX_FILES: usize = 64;

/// A file, and the namespace it takes on when it declares none itself.
pub(super) struct Text {
    pub path: String,
    text: String,
    inherited: Option<String>,
}

/// Reads a file and what it names, each once.
pub(super) fn load(path: &str, read: Ler<'_>) -> Result<Vec<Text>, String> {
    let mut texts: Vec<Text> = Vec::new();
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut queue = vec![(path.to_owned(), None)];
    while let Some((path, inherited)) = queue.pop() {
        if texts.len() >= MAX_FILES {
            return Err(format!("{path}: too many files"));
        }
        let text = read(&path).map_err(|error| format!("{path}: {error}"))?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        {
            let doc = Document::parse(&text).map_err(|error| format!("{path}: {error}"))?;
            let target = doc.root().attribute("targetNamespace").map(str::to_owned);
            for child in doc.root().children() {
                let inherit = match child.name() {
                    "include" => target.clone().or_else(|| inherited.clone()),
                    "import" => None,
                    _ => continue,
                };
                let Some(name) = child.attribute("schemaLocation") else {
                    continue;
                };
                let other = format!("{folder}/{name}");
                if seen.insert(other.clone()) {
                    queue.push((other, inherit));
                }
            }
        }
        texts.push(Text {
            path,
            text,
            inherited,
        });
    }
    Ok(texts)
}

/// Global declarations of a set, by namespace and name.
pub(super) struct Set<'t> {
    documents: Vec<(Document<'t>, String)>,
    elements: BTreeMap<(String, String), (usize, usize)>,
    kinds: BTreeMap<(String, String), (usize, usize)>,
}

/// A schema element and the file it is from.
#[derive(Clone, Copy)]
pub(super) struct Part<'c> {
    pub element: Element<'c>,
    file: usize,
}

impl<'c> Part<'c> {
    pub fn children(self) -> impl Iterator<Item = Part<'c>> {
        self.element
            .children()
            .filter(|child| child.namespace() == XSD && child.name() != "annotation")
            .map(move |element| Part {
                element,
                file: self.file,
            })
    }

    pub fn child(self, name: &str) -> Option<Part<'c>> {
        self.children().find(|child| child.element.name() == name)
    }

    pub fn attribute(self, name: &str) -> Option<&'c str> {
        self.element.attribute(name)
    }
}

impl<'t> Set<'t> {
    pub fn read(texts: &'t [Text]) -> Result<Set<'t>, String> {
        let mut set = Set {
            documents: Vec::new(),
            elements: BTreeMap::new(),
            kinds: BTreeMap::new(),
        };
        for text in texts {
            let doc = Document::parse(&text.text).map_err(|e| format!("{}: {e}", text.path))?;
            let target = doc
                .root()
                .attribute("targetNamespace")
                .map(str::to_owned)
                .or_else(|| text.inherited.clone())
                .unwrap_or_default();
            let file = set.documents.len();
            for (index, child) in doc.root().children().enumerate() {
                let Some(name) = child.attribute("name") else {
                    continue;
                };
                let chave = (target.clone(), name.to_owned());
                let place = match child.name() {
                    "element" => &mut set.elements,
                    "simpleType" | "complexType" => &mut set.kinds,
                    other => return Err(format!("{}: global {other}", text.path)),
                };
                place.entry(chave).or_insert((file, index));
            }
            set.documents.push((doc, target));
        }
        Ok(set)
    }

    /// Global elements in order of namespace and name.
    pub fn elements(&self) -> impl Iterator<Item = (&str, &str)> {
        self.elements
            .keys()
            .map(|(ns, name)| (ns.as_str(), name.as_str()))
    }

    /// Global types in order of namespace and name.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, &str)> {
        self.kinds
            .keys()
            .map(|(ns, name)| (ns.as_str(), name.as_str()))
    }

    pub fn element(&self, ns: &str, name: &str) -> Result<Part<'_>, String> {
        self.search(&self.elements, ns, name)
            .ok_or_else(|| format!("element {name} of {ns:?} is not defined"))
    }

    pub fn kind(&self, ns: &str, name: &str) -> Result<Part<'_>, String> {
        self.search(&self.kinds, ns, name)
            .ok_or_else(|| format!("type {name} of {ns:?} is not defined"))
    }

    fn search(
        &self,
        place: &BTreeMap<(String, String), (usize, usize)>,
        ns: &str,
        name: &str,
    ) -> Option<Part<'_>> {
        let (file, index) = *place.get(&(ns.to_owned(), name.to_owned()))?;
        let element = self.documents.get(file)?.0.root().children().nth(index)?;
        Some(Part { element, file })
    }

    /// Target namespace of the file a part is from.
    pub fn target(&self, part: Part<'_>) -> &str {
        self.documents
            .get(part.file)
            .map_or("", |(_, target)| target)
    }

    /// Namespace and local name that a `QName` in an attribute stands for.
    pub fn qname<'n>(&self, part: Part<'_>, qname: &'n str) -> Result<(String, &'n str), String> {
        let qname = qname.trim();
        let (prefix, name) = qname.split_once(':').unwrap_or(("", qname));
        let Some((doc, target)) = self.documents.get(part.file) else {
            return Err("no such file".to_owned());
        };
        let scope = doc.namespaces_in_scope(part.element.id());
        match scope.iter().find(|(other, _)| *other == prefix) {
            Some((_, uri)) => Ok(((*uri).to_owned(), name)),
            None if prefix.is_empty() => Ok((target.clone(), name)),
            None => Err(format!("prefix of {qname} is not declared")),
        }
    }
}
