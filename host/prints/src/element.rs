//! Elements as they are read for printing: by name, absent ones empty.

use std::borrow::Cow;

use markup::xml::Element;

/// An element, or the absence of one: reading on from there gives nothing.
#[derive(Clone, Copy)]
pub(crate) struct Node<'d>(Option<Element<'d>>);

impl<'d> Node<'d> {
    pub fn from(element: Element<'d>) -> Node<'d> {
        Node(Some(element))
    }

    pub fn maybe(element: Option<Element<'d>>) -> Node<'d> {
        Node(element)
    }

    pub fn exists(self) -> bool {
        self.0.is_some()
    }

    /// First child of that name.
    pub fn node(self, name: &str) -> Node<'d> {
        Node(self.0.and_then(|element| element.child(name)))
    }

    /// First child element of all: for groups that are a choice of names.
    pub fn first(self) -> Node<'d> {
        Node(self.0.and_then(|element| element.children().next()))
    }

    /// Children of that name.
    pub fn all(self, name: &str) -> impl Iterator<Item = Node<'d>> {
        let name = name.to_owned();
        self.0
            .into_iter()
            .flat_map(Element::children)
            .filter(move |child| child.name() == name)
            .map(|child| Node(Some(child)))
    }

    /// Text of the first child of that name, without blanks around it.
    pub fn t(self, name: &str) -> Cow<'d, str> {
        self.node(name).text()
    }

    /// The first of these children that has a text.
    pub fn one_of(self, names: &[&str]) -> Cow<'d, str> {
        names
            .iter()
            .map(|name| self.t(name))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }

    pub fn text(self) -> Cow<'d, str> {
        match self.0.map(Element::text) {
            Some(Cow::Borrowed(text)) => Cow::Borrowed(text.trim()),
            Some(Cow::Owned(text)) => Cow::Owned(text.trim().to_owned()),
            None => Cow::Borrowed(""),
        }
    }

    pub fn attribute(self, name: &str) -> &'d str {
        self.0
            .and_then(|element| element.attribute(name))
            .unwrap_or("")
    }
}
