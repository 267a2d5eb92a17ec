//! A parsed document: an arena of nodes in document order. Its small readers are
//! `inline`: other crates walk through documents with them, element by element.

use std::borrow::Cow;
use std::ops::Range;

/// A node of one document; means nothing in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// No node: the document itself is node 0 and nobody's child or sibling.
pub(super) const NONE: u32 = 0;
/// Index of the empty namespace in `Document::uris`.
pub(super) const NO_URI: u32 = 0;
/// Index of [`XML_NAMESPACE`] in `Document::uris`.
pub(super) const XML_URI: u32 = 1;

/// A well-formed document with namespaces. Borrows the text where it can.
#[derive(Debug)]
pub struct Document<'a> {
    pub(super) text: &'a str,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) elements: Vec<ElementData<'a>>,
    /// Of all elements, each element's in canonical order (namespace, name).
    pub(super) attributes: Vec<Attribute<'a>>,
    /// Of all elements, as written.
    pub(super) declarations: Vec<Declaration<'a>>,
    pub(super) uris: Vec<Cow<'a, str>>,
    pub(super) root: u32,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    pub parent: u32,
    /// Next sibling, or `NONE`.
    pub next: u32,
    pub kind: Kind<'a>,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    /// The document; its first child.
    Document(u32),
    /// Index in `Document::elements`.
    Element(u32),
    /// Text with its CDATA sections merged.
    Text(Cow<'a, str>),
    Comment(Cow<'a, str>),
    Instruction(&'a str, Cow<'a, str>),
}

#[derive(Debug)]
pub(super) struct ElementData<'a> {
    pub prefix: &'a str,
    pub local: &'a str,
    pub uri: u32,
    pub attributes: Range<u32>,
    pub declarations: Range<u32>,
    pub first_child: u32,
    /// One past the last node inside.
    pub subtree_end: u32,
    /// The start tag in the text.
    pub open: Range<u32>,
    /// The end tag in the text; empty for `<a/>`.
    pub close: Range<u32>,
}

#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub prefix: &'a str,
    pub local: &'a str,
    pub uri: u32,
    pub value: Cow<'a, str>,
}

#[derive(Debug)]
pub(super) struct Declaration<'a> {
    pub prefix: &'a str,
    pub uri: u32,
}

impl<'a> Document<'a> {
    /// The text that was parsed.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The document itself, with what stands around the root element.
    pub fn document(&self) -> NodeId {
        NodeId(0)
    }

    /// The root element.
    #[inline]
    pub fn root(&self) -> Element<'_> {
        Element {
            doc: self,
            id: NodeId(self.root),
        }
    }

    /// The element with this id, if the node is one.
    #[inline]
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        matches!(self.node(id.0)?.kind, Kind::Element(_)).then_some(Element { doc: self, id })
    }

    /// All elements in document order, the root first.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        self.root().descendants_or_self()
    }

    /// URIs of the namespaces in the document, each once; the empty one, which
    /// stands for none, and that of the prefix `xml` are always among them.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.uris.iter().map(|uri| &**uri)
    }

    #[inline]
    pub(super) fn node(&self, id: u32) -> Option<&Node<'a>> {
        self.nodes.get(id as usize)
    }

    #[inline]
    pub(super) fn data(&self, id: u32) -> Option<&ElementData<'a>> {
        match self.node(id)?.kind {
            Kind::Element(index) => self.elements.get(index as usize),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn uri(&self, index: u32) -> &str {
        self.uris.get(index as usize).map_or("", |uri| uri)
    }

    #[inline]
    pub(super) fn attributes_of(&self, data: &ElementData<'a>) -> &[Attribute<'a>] {
        self.attributes.get(range(&data.attributes)).unwrap_or(&[])
    }

    pub(super) fn declarations_of(&self, data: &ElementData<'a>) -> &[Declaration<'a>] {
        self.declarations
            .get(range(&data.declarations))
            .unwrap_or(&[])
    }

    /// `id` and the elements around it, innermost first.
    pub(super) fn ancestors_or_self(&self, id: u32) -> impl Iterator<Item = &ElementData<'a>> {
        let mut at = id;
        std::iter::from_fn(move || {
            let data = self.data(at)?;
            at = self.node(at)?.parent;
            Some(data)
        })
    }

    /// Prefix and namespace of each declaration in force at `id`, sorted by
    /// prefix; a default namespace of `""` and `xml` are left out.
    pub fn namespaces_in_scope(&self, id: NodeId) -> Vec<(&str, &str)> {
        let mut scope: Vec<(&str, &str)> = Vec::new();
        for data in self.ancestors_or_self(id.0) {
            for declaration in self.declarations_of(data) {
                if !scope
                    .iter()
                    .any(|(prefix, _)| *prefix == declaration.prefix)
                {
                    scope.push((declaration.prefix, self.uri(declaration.uri)));
                }
            }
        }
        scope.retain(|(prefix, uri)| *prefix != "xml" && !uri.is_empty());
        scope.sort_unstable();
        scope
    }

    /// Name (without `xml:`) and value of each `xml:` attribute of `id` and
    /// the elements around it, the innermost of each name, sorted by name.
    pub(crate) fn xml_attributes_in_scope(&self, id: NodeId) -> Vec<(&str, &str)> {
        let mut found: Vec<(&str, &str)> = Vec::new();
        for data in self.ancestors_or_self(id.0) {
            for attribute in self.attributes_of(data).iter().filter(|a| a.uri == XML_URI) {
                if !found.iter().any(|(local, _)| *local == attribute.local) {
                    found.push((attribute.local, &attribute.value));
                }
            }
        }
        found.sort_unstable();
        found
    }
}

pub(super) fn range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// An element of a document. Copied freely.
#[derive(Clone, Copy)]
pub struct Element<'d> {
    doc: &'d Document<'d>,
    id: NodeId,
}

impl std::fmt::Debug for Element<'_> {
    /// The name and the place, not the content: that may be personal.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}> at {:?}", self.name(), self.span())
    }
}

impl PartialEq for Element<'_> {
    /// The same element of the same document.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.doc.text, other.doc.text) && self.id == other.id
    }
}

impl<'d> Element<'d> {
    /// The node of this element in its document.
    #[inline]
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Local name, without prefix.
    #[inline]
    pub fn name(self) -> &'d str {
        self.data().map_or("", |data| data.local)
    }

    /// Prefix as written; empty if there is none.
    #[inline]
    pub fn prefix(self) -> &'d str {
        self.data().map_or("", |data| data.prefix)
    }

    /// Namespace URI; empty if the element is in none.
    #[inline]
    pub fn namespace(self) -> &'d str {
        self.data().map_or("", |data| self.doc.uri(data.uri))
    }

    /// Value of the attribute with this name and no namespace.
    #[inline]
    pub fn attribute(self, name: &str) -> Option<&'d str> {
        self.attribute_in("", name)
    }

    /// Value of the attribute with this namespace and local name.
    #[inline]
    pub fn attribute_in(self, namespace: &str, name: &str) -> Option<&'d str> {
        self.attributes()
            .find(|(uri, local, _)| *uri == namespace && *local == name)
            .map(|(_, _, value)| value)
    }

    /// Namespace, local name and value of each attribute, declarations
    /// excluded, sorted by the first two.
    #[inline]
    pub fn attributes(self) -> impl Iterator<Item = (&'d str, &'d str, &'d str)> {
        let attributes = self
            .data()
            .map_or(&[][..], |data| self.doc.attributes_of(data));
        attributes
            .iter()
            .map(move |a| (self.doc.uri(a.uri), a.local, &*a.value))
    }

    /// The element around this one; none for the root.
    pub fn parent(self) -> Option<Element<'d>> {
        let parent = self.doc.node(self.id.0)?.parent;
        self.doc.element(NodeId(parent))
    }

    /// Child elements in document order.
    #[inline]
    pub fn children(self) -> impl Iterator<Item = Element<'d>> {
        self.child_nodes()
            .filter_map(move |id| self.doc.element(NodeId(id)))
    }

    /// First child element with this local name.
    #[inline]
    pub fn child(self, name: &str) -> Option<Element<'d>> {
        self.children().find(|child| child.name() == name)
    }

    /// This element and all inside it, in document order.
    pub fn descendants_or_self(self) -> impl Iterator<Item = Element<'d>> {
        let end = self.data().map_or(self.id.0, |data| data.subtree_end);
        (self.id.0..end).filter_map(move |id| self.doc.element(NodeId(id)))
    }

    /// First element in document order that lies at this path of local names
    /// below this one, whatever the namespaces.
    pub fn find(self, path: &[&str]) -> Option<Element<'d>> {
        let Some((first, rest)) = path.split_first() else {
            return Some(self);
        };
        self.children()
            .filter(|child| child.name() == *first)
            .find_map(|child| child.find(rest))
    }

    /// All elements at this path of local names below this one.
    pub fn find_all(self, path: &[&str]) -> Vec<Element<'d>> {
        let mut found = vec![self];
        for name in path {
            found = found
                .into_iter()
                .flat_map(Element::children)
                .filter(|child| child.name() == *name)
                .collect();
        }
        found
    }

    /// Text of the element at a path, if there is one; see [`Element::text`].
    pub fn text_at(self, path: &[&str]) -> Option<Cow<'d, str>> {
        self.find(path).map(Element::text)
    }

    /// Character data directly inside, as it stands: nothing is trimmed, text
    /// of child elements is not included.
    pub fn text(self) -> Cow<'d, str> {
        let mut text = Cow::Borrowed("");
        for id in self.child_nodes() {
            if let Some(Kind::Text(part)) = self.doc.node(id).map(|node| &node.kind) {
                if text.is_empty() {
                    text = Cow::Borrowed(part);
                } else {
                    text.to_mut().push_str(part);
                }
            }
        }
        text
    }

    /// Is there character data directly inside? White space alone counts only
    /// on request.
    pub(crate) fn has_text(self, blank_counts: bool) -> bool {
        self.child_nodes()
            .any(|id| match self.doc.node(id).map(|node| &node.kind) {
                Some(Kind::Text(text)) => blank_counts || !text.bytes().all(super::scan::is_space),
                _ => false,
            })
    }

    /// Bytes of the original text from `<` of the start tag to `>` of the end tag.
    pub fn span(self) -> Range<usize> {
        self.data().map_or(0..0, |data| {
            data.open.start as usize..data.close.end as usize
        })
    }

    /// Bytes between the tags; none for an empty-element tag (`<a/>`).
    pub fn content_span(self) -> Option<Range<usize>> {
        let data = self.data()?;
        (!data.close.is_empty()).then_some(data.open.end as usize..data.close.start as usize)
    }

    /// Is `other` this element or inside it?
    pub fn contains(self, other: Element<'_>) -> bool {
        let end = self.data().map_or(self.id.0, |data| data.subtree_end);
        (self.id.0..end).contains(&other.id.0)
    }

    #[inline]
    fn data(self) -> Option<&'d ElementData<'d>> {
        self.doc.data(self.id.0)
    }

    #[inline]
    fn child_nodes(self) -> impl Iterator<Item = u32> {
        let mut at = self.data().map_or(NONE, |data| data.first_child);
        std::iter::from_fn(move || {
            let here = at;
            at = self.doc.node(here)?.next;
            (here != NONE).then_some(here)
        })
    }
}
