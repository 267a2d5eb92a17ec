//! The authorities' own XML reader.
//!
//! The simulator does not use the hub's XML code on purpose: a mistake made
//! twice by the same code (a wrong escape, a wrong canonical form) would look
//! correct to a test that signs and verifies with it.
//!
//! It accepts what the authorities accept: UTF-8, no document type, no
//! processing instructions inside the document. Namespaces are resolved.

mod c14n;
mod parse;
pub mod signature;

pub use c14n::{C14n, canonicalize};
pub use parse::{XmlError, parse};

/// Largest XML text read, in bytes. Real front ends stop far below.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Deepest nesting read.
pub const MAX_DEPTH: usize = 64;
/// Most nodes (elements, attributes and texts) read.
pub const MAX_NODES: usize = 300_000;

/// An element with its resolved namespace.
#[derive(Debug, Clone, Default)]
pub struct Element {
    /// Prefix as written, empty when there is none.
    pub prefix: String,
    /// Local name.
    pub name: String,
    /// Namespace address, empty when there is none.
    pub ns: String,
    /// Attributes, without namespace declarations.
    pub attrs: Vec<Attr>,
    /// Namespace declarations written on this element: (prefix, address).
    pub declared: Vec<(String, String)>,
    /// Children in document order.
    pub children: Vec<Node>,
    /// Where the element's text begins and ends in the source, in bytes.
    pub span: (usize, usize),
}

/// An attribute.
#[derive(Debug, Clone, Default)]
pub struct Attr {
    /// Prefix as written.
    pub prefix: String,
    /// Local name.
    pub name: String,
    /// Namespace address; empty for a name without prefix.
    pub ns: String,
    /// Value with references resolved.
    pub value: String,
}

/// Child of an element. Comments are dropped.
#[derive(Debug, Clone)]
pub enum Node {
    /// A child element.
    Element(Element),
    /// Character data, references resolved.
    Text(String),
}

impl Element {
    /// Child elements in order.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|n| match n {
            Node::Element(e) => Some(e),
            Node::Text(_) => None,
        })
    }

    /// First child element with this local name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|e| e.name == name)
    }

    /// Element at a path of local names ("serv/cServ/cTribNac").
    pub fn at(&self, path: &str) -> Option<&Element> {
        path.split('/').try_fold(self, |e, name| e.child(name))
    }

    /// Text at a path of local names; `None` when the element is absent.
    pub fn text_at(&self, path: &str) -> Option<String> {
        self.at(path).map(Element::text)
    }

    /// Own character data, without the children's.
    pub fn text(&self) -> String {
        self.children
            .iter()
            .filter_map(|n| match n {
                Node::Text(t) => Some(t.as_str()),
                Node::Element(_) => None,
            })
            .collect()
    }

    /// Value of an attribute without prefix.
    pub fn attr(&self, name: &str) -> Option<&str> {
        self.attrs
            .iter()
            .find(|a| a.prefix.is_empty() && a.name == name)
            .map(|a| a.value.as_str())
    }

    /// First element below (or this one) with this local name, depth first.
    pub fn find(&self, name: &str) -> Option<&Element> {
        if self.name == name {
            return Some(self);
        }
        self.elements().find_map(|e| e.find(name))
    }

    /// The element's own text in the document it was read from.
    pub fn source<'a>(&self, document: &'a str) -> &'a str {
        document.get(self.span.0..self.span.1).unwrap_or_default()
    }
}

/// Escapes character data for an element's content.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
