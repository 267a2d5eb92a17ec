//! A table in memory: types, particles and automata, made once from its text.

mod content;
mod reading;

pub(super) use content::{Automaton, Check, Occurs, Particle, Symbol, Wildcard};

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::layout::pattern::Pattern;

/// Without upper bound.
pub(super) const ENDLESS: u32 = u32::MAX;

/// Namespaces a table knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    Layout,
    Signature,
}

/// A type, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Simples(usize),
    Complex(usize),
}

/// An element at one place of a layout, or a root.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub name: &'static str,
    /// `<name></name>`, which a document takes its tags from.
    tags: Box<str>,
    pub namespace: Namespace,
    pub kind: Type,
}

impl Declaration {
    fn new(name: &'static str, namespace: Namespace, kind: Type) -> Declaration {
        Declaration {
            name,
            tags: format!("<{name}></{name}>").into(),
            namespace,
            kind,
        }
    }

    /// The tags around what an element has inside.
    pub fn tags(&self) -> Option<(&str, &str)> {
        self.tags.split_at_checked(self.name.len() + 2)
    }
}

/// Built-in types (XSD part 2) that occur, with how each is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `xs:string`.
    String,
    /// `xs:normalizedString`.
    NormalizedString,
    /// `xs:token`.
    Token,
    /// `xs:ID`.
    Id,
    /// `xs:NCName`.
    NonColonName,
    /// `xs:anyURI`.
    AnyUri,
    /// `xs:base64Binary`.
    Base64,
    /// `xs:date`.
    Date,
    /// `xs:dateTime`.
    DateTime,
    /// `xs:gYearMonth`.
    GYearMonth,
    /// `xs:boolean`.
    Boolean,
    /// `xs:decimal`.
    Decimal,
    /// Integers with the lowest and highest value, where the type has them.
    Integer(Option<i128>, Option<i128>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blanks {
    Preserve,
    Swap,
    Join,
}

/// A simple type, flat: all it inherits is in it.
#[derive(Debug)]
pub(super) struct Simples {
    /// Name in the table; a global type's own name if `named`.
    pub name: &'static str,
    pub named: bool,
    pub base: Base,
    /// `xs:string`.
    pub embedded: &'static str,
    pub blanks: Blanks,
    pub length: Option<u32>,
    pub min: Option<u32>,
    pub max: Option<u32>,
    pub from: Option<&'static str>,
    pub to: Option<&'static str>,
    pub digits: Option<u32>,
    pub decimals: Option<u32>,
    /// Places in [`Table::patterns`].
    pub patterns: Vec<usize>,
    pub values: Vec<&'static str>,
    /// Named type this one restricts.
    pub derive: Option<&'static str>,
}

#[derive(Debug)]
pub(super) struct Attribute {
    pub name: &'static str,
    pub mandatory: bool,
    pub kind: usize,
    pub fixed: Option<&'static str>,
}

/// Elements below that differ in an attribute.
#[derive(Debug)]
pub(super) struct Unique {
    /// All descendants, not only children.
    pub all: bool,
    pub attribute: &'static str,
}

#[derive(Debug)]
pub(super) struct Complex {
    pub name: &'static str,
    pub mixed: bool,
    pub attributes: Vec<Attribute>,
    pub any_attribute: bool,
    pub unique: Vec<Unique>,
    pub content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Empty,
    Simples(usize),
    Elements(Box<Model>),
}

/// Order and occurrence of children.
#[derive(Debug)]
pub(super) struct Model {
    /// All elements of the type, in the order of the layout; particles and
    /// positions refer to them.
    pub declarations: Vec<Declaration>,
    pub wildcards: Vec<Wildcard>,
    pub tree: Occurs,
    pub automaton: Automaton,
    /// A group repeats: items of one name may stand apart.
    pub group_repeats: bool,
    /// The name of a child says where it belongs.
    pub names_decide: bool,
    /// Place of `Signature` among the declarations.
    pub signature: Option<usize>,
}

/// A pattern's text; its automaton is made when first needed.
#[derive(Debug)]
pub(super) struct TablePattern {
    pub text: &'static str,
    automaton: OnceLock<Option<Pattern>>,
}

impl TablePattern {
    fn new(text: &'static str) -> TablePattern {
        TablePattern {
            text,
            automaton: OnceLock::new(),
        }
    }

    /// A pattern that does not compile accepts nothing; a test compiles all.
    pub fn matches(&self, text: &str) -> bool {
        self.automaton()
            .is_some_and(|automaton| automaton.matches(text))
    }

    fn automaton(&self) -> Option<&Pattern> {
        self.automaton
            .get_or_init(|| Pattern::compile(self.text).ok())
            .as_ref()
    }
}

/// A whole table.
#[derive(Debug)]
pub(super) struct Table {
    pub namespace: &'static str,
    pub roots: Vec<Declaration>,
    pub simples: Vec<Simples>,
    pub complex: Vec<Complex>,
    pub patterns: Vec<TablePattern>,
    by_name: HashMap<&'static str, Type>,
}

impl Table {
    /// Reads a table's text.
    ///
    /// # Errors
    /// A sentence in English with the line: the text was not made by the compiler.
    pub fn read(text: &'static str) -> Result<Table, String> {
        reading::read(text)
    }

    pub fn root(&self, namespace: Option<Namespace>, name: &str) -> Option<&Declaration> {
        self.roots
            .iter()
            .find(|root| Some(root.namespace) == namespace && root.name == name)
    }

    /// Root by name alone: for trees, which carry no namespaces.
    pub fn root_by_name(&self, name: &str) -> Option<&Declaration> {
        self.roots.iter().find(|root| root.name == name)
    }

    /// Type of a root or, for parts of documents, of the first element of that
    /// name in the table.
    pub fn element_by_name(&self, name: &str) -> Option<Type> {
        if let Some(root) = self.root_by_name(name) {
            return Some(root.kind);
        }
        self.complex.iter().find_map(|complex| {
            let Content::Elements(model) = &complex.content else {
                return None;
            };
            let declaration = model.declarations.iter().find(|d| d.name == name);
            declaration.map(|d| d.kind)
        })
    }

    /// A global type, as `xsi:type` names it.
    pub fn kind(&self, name: &str) -> Option<Type> {
        self.by_name.get(name).copied()
    }

    pub fn uri(&self, namespace: Namespace) -> &'static str {
        match namespace {
            Namespace::Layout => self.namespace,
            Namespace::Signature => crate::xmldsig::DSIG_NAMESPACE,
        }
    }

    pub fn namespace(&self, uri: &str) -> Option<Namespace> {
        if uri == self.namespace {
            Some(Namespace::Layout)
        } else if uri == crate::xmldsig::DSIG_NAMESPACE {
            Some(Namespace::Signature)
        } else {
            None
        }
    }

    /// The table refers only to what it has, so these are always there; the
    /// reader made sure.
    pub fn simples(&self, index: usize) -> Option<&Simples> {
        self.simples.get(index)
    }

    pub fn complex(&self, index: usize) -> Option<&Complex> {
        self.complex.get(index)
    }

    pub fn model(&self, kind: Type) -> Option<&Model> {
        let Type::Complex(index) = kind else {
            return None;
        };
        match &self.complex(index)?.content {
            Content::Elements(model) => Some(model),
            _ => None,
        }
    }

    /// Text of every pattern that has no automaton; none in a good table.
    pub fn bad_patterns(&self) -> Vec<&'static str> {
        self.patterns
            .iter()
            .filter(|pattern| pattern.automaton().is_none())
            .map(|pattern| pattern.text)
            .collect()
    }
}
