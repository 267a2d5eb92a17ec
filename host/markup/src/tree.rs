//! An XML element as it is put together: names and values, no order yet.
//!
//! Builders add members in whatever order reads best; the layout
//! ([`crate::layout`]) knows the official one and writes it.

use std::borrow::Cow;

/// Name of an element or attribute: nearly always one of the layout's own.
pub type Name = Cow<'static, str>;

/// An element with its attributes and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Local name, as the layout has it.
    pub name: Name,
    /// Without namespace declarations.
    pub attributes: Vec<(Name, String)>,
    /// Its children or its text.
    pub content: ElementContent,
}

/// What an element has inside: fiscal layouts never mix text and elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementContent {
    /// Elements, in any order.
    Children(Vec<Node>),
    /// Not escaped.
    Text(String),
}

impl Node {
    /// An element that will have children.
    pub fn group(name: impl Into<Name>) -> Node {
        Node {
            name: name.into(),
            attributes: Vec::new(),
            content: ElementContent::Children(Vec::new()),
        }
    }

    /// An element that will have about so many children: room for them is made once.
    pub fn group_of(name: impl Into<Name>, children: usize) -> Node {
        Node {
            name: name.into(),
            attributes: Vec::new(),
            content: ElementContent::Children(Vec::with_capacity(children)),
        }
    }

    /// An element with a value.
    pub fn field(name: impl Into<Name>, value: impl Into<String>) -> Node {
        Node {
            name: name.into(),
            attributes: Vec::new(),
            content: ElementContent::Text(value.into()),
        }
    }

    /// Adds an attribute.
    #[must_use]
    pub fn attribute(mut self, name: impl Into<Name>, value: impl Into<String>) -> Node {
        self.attributes.push((name.into(), value.into()));
        self
    }

    /// Adds a child with a value.
    #[must_use]
    pub fn with(mut self, name: impl Into<Name>, value: impl Into<String>) -> Node {
        self.put(Node::field(name, value));
        self
    }

    /// Adds a child with a value, if there is one.
    #[must_use]
    pub fn with_if(self, name: impl Into<Name>, value: Option<impl Into<String>>) -> Node {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a child.
    #[must_use]
    #[inline]
    pub fn child(mut self, child: Node) -> Node {
        self.put(child);
        self
    }

    /// Adds a child, if there is one.
    #[must_use]
    #[inline]
    pub fn child_if(self, child: Option<Node>) -> Node {
        match child {
            Some(child) => self.child(child),
            None => self,
        }
    }

    /// Adds children.
    #[must_use]
    pub fn children(mut self, children: impl IntoIterator<Item = Node>) -> Node {
        for child in children {
            self.put(child);
        }
        self
    }

    /// Adds a child in place. An element with text becomes a group: the
    /// layout's verdict on it is the caller's to ask.
    #[inline]
    pub fn put(&mut self, child: Node) {
        match &mut self.content {
            ElementContent::Children(children) => children.push(child),
            ElementContent::Text(_) => self.content = ElementContent::Children(vec![child]),
        }
    }

    /// The children; none for an element with text.
    pub fn list(&self) -> &[Node] {
        match &self.content {
            ElementContent::Children(children) => children,
            ElementContent::Text(_) => &[],
        }
    }

    /// The first child of that name.
    pub fn find(&self, name: &str) -> Option<&Node> {
        self.list().iter().find(|child| child.is(name))
    }

    /// Has the element that name?
    #[inline]
    pub fn is(&self, name: &str) -> bool {
        same(&self.name, name)
    }

    /// The element at the end of a path of first children.
    pub fn caminho(&self, names: &[&str]) -> Option<&Node> {
        names
            .iter()
            .try_fold(self, |current, name| current.find(name))
    }

    /// The value, for an element with text.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            ElementContent::Text(text) => Some(text),
            ElementContent::Children(_) => None,
        }
    }

    /// The value at the end of a path.
    pub fn value(&self, names: &[&str]) -> Option<&str> {
        self.caminho(names)?.text()
    }
}

/// Whether two names are one. Length and last letter are looked at first: they settle most
/// comparisons, and each of the others is a call.
#[inline]
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.as_bytes().last() == other.as_bytes().last() && one == other
}
