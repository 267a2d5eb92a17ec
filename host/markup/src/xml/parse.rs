//! Text to [`Document`]: XML 1.0 and Namespaces in XML 1.0, without DTD.

use std::borrow::Cow;

use super::document::{
    Attribute, Declaration, Document, ElementData, Kind, NO_URI, NONE, Node, XML_URI,
};
use super::scan::{
    Scanner, attribute_value, character_data, empty, forbidden_character, is_space, line_ends,
};
use super::{XML_NAMESPACE, XMLNS_NAMESPACE, XmlError};

/// Deepest nesting of elements. Fiscal layouts stay below twenty; the walks
/// over a document may therefore recurse.
pub const MAX_DEPTH: usize = 64;
/// Attributes and namespace declarations of one element.
const MAX_ATTRIBUTES: usize = 64;
/// Namespace declarations in force at one place: each name is looked up there.
const MAX_SCOPE: usize = 128;
/// Canonical form repeats namespace URIs. Their total may be this many times
/// the text plus `NAMESPACE_FLOOR`, so a small text cannot become a huge one.
const NAMESPACE_FACTOR: usize = 16;
const NAMESPACE_FLOOR: usize = 64 * 1024;

/// How much is read before giving up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest text, in bytes.
    pub bytes: usize,
    /// Most nodes: elements, runs of text, comments, instructions.
    pub nodes: usize,
}

impl Default for Limits {
    /// 8 MiB: a whole page of distributed documents fits, which is the largest
    /// thing an authority sends.
    fn default() -> Limits {
        Limits {
            bytes: 8 * 1024 * 1024,
            nodes: 1_000_000,
        }
    }
}

impl<'a> Document<'a> {
    /// Reads a text of at most 8 MiB and a million nodes.
    ///
    /// The encoding an XML declaration names is not looked at: the text was
    /// decoded already. A byte order mark is skipped.
    ///
    /// # Errors
    /// The text is not well-formed with namespaces, has a DTD, names an entity
    /// that XML itself does not define, or exceeds a limit.
    pub fn parse(text: &'a str) -> Result<Document<'a>, XmlError> {
        parse(text, &Limits::default())
    }
}

/// Reads a text within other limits than those of [`Document::parse`].
///
/// # Errors
/// As [`Document::parse`].
pub fn parse<'a>(text: &'a str, limits: &Limits) -> Result<Document<'a>, XmlError> {
    // Positions are kept as u32.
    if text.len() > limits.bytes.min(u32::MAX as usize) {
        return Err(XmlError::new(0, "the document is too long"));
    }
    if let Some(offset) = forbidden_character(text) {
        return Err(XmlError::new(offset, "a character that XML does not admit"));
    }
    let mut parser = Parser::new(text, limits);
    parser.declaration()?;
    while !parser.scan.done() {
        parser.item()?;
    }
    parser.finish()
}

/// An attribute as written, before its prefix is resolved.
struct RawAttribute<'a> {
    prefix: &'a str,
    local: &'a str,
    value: Cow<'a, str>,
    offset: usize,
}

/// An element whose end tag has not come yet.
struct Open {
    node: u32,
    /// Length of the scope outside it.
    scope: usize,
    last_child: u32,
}

struct Parser<'a> {
    scan: Scanner<'a>,
    doc: Document<'a>,
    max_nodes: usize,
    open: Vec<Open>,
    last_top: u32,
    /// Prefix and index in `Document::uris`, innermost last.
    scope: Vec<(&'a str, u32)>,
    raw: Vec<RawAttribute<'a>>,
    namespace_bytes: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, limits: &Limits) -> Parser<'a> {
        let document = Node {
            parent: NONE,
            next: NONE,
            kind: Kind::Document(NONE),
        };
        Parser {
            scan: Scanner::new(text),
            doc: Document {
                text,
                nodes: vec![document],
                elements: Vec::new(),
                attributes: Vec::new(),
                declarations: Vec::new(),
                uris: vec![Cow::Borrowed(empty(text)), Cow::Borrowed(XML_NAMESPACE)],
                root: NONE,
            },
            max_nodes: limits.nodes,
            open: Vec::new(),
            last_top: NONE,
            scope: vec![("xml", XML_URI)],
            raw: Vec::new(),
            namespace_bytes: 0,
        }
    }

    /// `<?xml version="1.0" encoding="..." standalone="..."?>`, if present.
    fn declaration(&mut self) -> Result<(), XmlError> {
        self.scan.eat("\u{feff}");
        let mut after = self.scan.rest().strip_prefix("<?xml").unwrap_or("").bytes();
        if !after.next().is_some_and(is_space) {
            return Ok(());
        }
        self.scan.expect("<?xml")?;
        self.scan.space();
        self.scan.expect("version")?;
        if self.equals_quoted()? != "1.0" {
            return self.scan.fail("only XML 1.0 is read");
        }
        let mut space = self.scan.space();
        if space && self.scan.eat("encoding") {
            self.equals_quoted()?;
            space = self.scan.space();
        }
        if space && self.scan.eat("standalone") {
            if !matches!(self.equals_quoted()?, "yes" | "no") {
                return self.scan.fail("standalone is neither yes nor no");
            }
            self.scan.space();
        }
        self.scan.expect("?>")
    }

    fn equals_quoted(&mut self) -> Result<&'a str, XmlError> {
        self.scan.space();
        self.scan.expect("=")?;
        self.scan.space();
        self.scan.quoted("the XML declaration")
    }

    /// Whatever comes next; there is at least one byte.
    fn item(&mut self) -> Result<(), XmlError> {
        if self.scan.peek() != Some(b'<') {
            return self.text();
        }
        if self.scan.eat("<!--") {
            return self.comment();
        }
        if self.scan.eat("<![CDATA[") {
            return self.cdata();
        }
        if self.scan.rest().starts_with("<!") {
            return self
                .scan
                .fail("a DTD or markup declaration is not accepted");
        }
        if self.scan.eat("<?") {
            return self.instruction();
        }
        let start = self.scan.at();
        if self.scan.eat("</") {
            return self.close(start);
        }
        self.scan.expect("<")?;
        self.start_tag(start)
    }

    fn text(&mut self) -> Result<(), XmlError> {
        let offset = self.scan.at();
        let raw = self.scan.text();
        if !self.open.is_empty() {
            return self.add_text(character_data(raw, offset)?);
        }
        match raw.bytes().position(|b| !is_space(b)) {
            Some(index) => Err(XmlError::new(
                offset + index,
                "text outside the root element",
            )),
            None => Ok(()),
        }
    }

    fn cdata(&mut self) -> Result<(), XmlError> {
        if self.open.is_empty() {
            return self.scan.fail("CDATA outside the root element");
        }
        let raw = self.scan.until("]]>", "a CDATA section")?;
        self.add_text(line_ends(raw))
    }

    /// Text joins the text before it: CDATA sections leave no trace.
    fn add_text(&mut self, text: Cow<'a, str>) -> Result<(), XmlError> {
        if text.is_empty() {
            return Ok(());
        }
        let last = self.open.last().map_or(NONE, |open| open.last_child);
        if let Some(Node {
            kind: Kind::Text(before),
            ..
        }) = self.doc.nodes.get_mut(last as usize)
        {
            before.to_mut().push_str(&text);
            return Ok(());
        }
        self.add(Kind::Text(text)).map(drop)
    }

    fn comment(&mut self) -> Result<(), XmlError> {
        let body = self.scan.until("--", "a comment")?;
        self.scan.expect(">")?;
        self.add(Kind::Comment(line_ends(body))).map(drop)
    }

    fn instruction(&mut self) -> Result<(), XmlError> {
        let target = self.scan.ncname()?;
        if target.eq_ignore_ascii_case("xml") {
            return self
                .scan
                .fail("an XML declaration that is not at the beginning");
        }
        let spaced = self.scan.space();
        if !spaced && !self.scan.rest().starts_with("?>") {
            return self.scan.fail("expected white space after the target");
        }
        let data = self.scan.until("?>", "a processing instruction")?;
        self.add(Kind::Instruction(target, line_ends(data)))
            .map(drop)
    }

    fn start_tag(&mut self, start: usize) -> Result<(), XmlError> {
        let (prefix, local) = self.scan.qname()?;
        if self.open.is_empty() && self.doc.root != NONE {
            return Err(XmlError::new(start, "a second root element"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(XmlError::new(start, "elements are nested too deeply"));
        }
        self.raw_attributes()?;
        let childless = self.scan.eat("/");
        self.scan.expect(">")?;

        let outer_scope = self.scope.len();
        let declarations = self.declare()?;
        let uri = self.resolve(prefix, true, start)?;
        let attributes = self.attributes()?;
        let end = self.scan.at();
        let element = index(self.doc.elements.len());
        self.doc.elements.push(ElementData {
            prefix,
            local,
            uri,
            attributes,
            declarations,
            first_child: NONE,
            subtree_end: NONE,
            open: index(start)..index(end),
            close: index(end)..index(end),
        });
        let node = self.add(Kind::Element(element))?;
        if self.open.is_empty() {
            self.doc.root = node;
        }
        self.open.push(Open {
            node,
            scope: outer_scope,
            last_child: NONE,
        });
        if childless {
            self.pop(end..end);
        }
        Ok(())
    }

    fn raw_attributes(&mut self) -> Result<(), XmlError> {
        self.raw.clear();
        while self.scan.space() && !matches!(self.scan.peek(), Some(b'/' | b'>') | None) {
            let offset = self.scan.at();
            let (prefix, local) = self.scan.qname()?;
            self.scan.space();
            self.scan.expect("=")?;
            self.scan.space();
            let value_offset = self.scan.at() + 1;
            let value = attribute_value(self.scan.quoted("an attribute")?, value_offset)?;
            if self.raw.len() >= MAX_ATTRIBUTES {
                return Err(XmlError::new(offset, "an element has too many attributes"));
            }
            self.raw.push(RawAttribute {
                prefix,
                local,
                value,
                offset,
            });
        }
        Ok(())
    }

    /// Takes the namespace declarations out of `raw` and into the scope.
    fn declare(&mut self) -> Result<std::ops::Range<u32>, XmlError> {
        let first = self.doc.declarations.len();
        let is_declaration = |a: &mut RawAttribute<'a>| {
            a.prefix == "xmlns" || (a.prefix.is_empty() && a.local == "xmlns")
        };
        for attribute in self.raw.extract_if(.., is_declaration) {
            let prefix = if attribute.prefix.is_empty() {
                attribute.prefix
            } else {
                attribute.local
            };
            let fail = |message: &str| Err(XmlError::new(attribute.offset, message));
            let uri: &str = &attribute.value;
            // Namespaces in XML 1.0, §3: what the two reserved prefixes allow.
            if prefix == "xmlns"
                || uri == XMLNS_NAMESPACE
                || (prefix == "xml") != (uri == XML_NAMESPACE)
            {
                return fail("a reserved prefix or namespace is declared");
            }
            if uri.is_empty() && !prefix.is_empty() {
                return fail("a prefix is declared empty");
            }
            if self
                .doc
                .declarations
                .iter()
                .skip(first)
                .any(|d| d.prefix == prefix)
            {
                return fail("a prefix is declared twice");
            }
            if self.scope.len() >= MAX_SCOPE {
                return fail("too many namespace declarations");
            }
            let uri = if uri.is_empty() {
                NO_URI
            } else {
                self.doc.uris.push(attribute.value);
                index(self.doc.uris.len() - 1)
            };
            self.doc.declarations.push(Declaration { prefix, uri });
            self.scope.push((prefix, uri));
        }
        Ok(index(first)..index(self.doc.declarations.len()))
    }

    /// Resolves what is left in `raw` and puts it in canonical order.
    fn attributes(&mut self) -> Result<std::ops::Range<u32>, XmlError> {
        let first = self.doc.attributes.len();
        let mut raw = std::mem::take(&mut self.raw);
        for RawAttribute {
            prefix,
            local,
            value,
            offset,
        } in raw.drain(..)
        {
            let uri = self.resolve(prefix, false, offset)?;
            self.doc.attributes.push(Attribute {
                prefix,
                local,
                uri,
                value,
            });
        }
        self.raw = raw;
        let uris = &self.doc.uris;
        let key = |a: &Attribute<'a>| (uris.get(a.uri as usize).map_or("", |uri| uri), a.local);
        let own = self.doc.attributes.get_mut(first..).unwrap_or_default();
        own.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        if own.is_sorted_by(|a, b| key(a) != key(b)) {
            Ok(index(first)..index(self.doc.attributes.len()))
        } else {
            self.scan.fail("an attribute is given twice")
        }
    }

    /// Namespace of a prefix. Without prefix, an element takes the default
    /// namespace and an attribute none.
    fn resolve(&mut self, prefix: &str, element: bool, offset: usize) -> Result<u32, XmlError> {
        if prefix.is_empty() && !element {
            return Ok(NO_URI);
        }
        let bound = self.scope.iter().rev().find(|(name, _)| *name == prefix);
        let uri = match bound {
            Some((_, uri)) => *uri,
            None if prefix.is_empty() => NO_URI,
            None => {
                return Err(XmlError::new(
                    offset,
                    format!("prefix {prefix:?} is not declared"),
                ));
            }
        };
        self.namespace_bytes += self.doc.uri(uri).len();
        if self.namespace_bytes > NAMESPACE_FACTOR * self.doc.text.len() + NAMESPACE_FLOOR {
            return Err(XmlError::new(
                offset,
                "namespaces are too long for this document",
            ));
        }
        Ok(uri)
    }

    fn close(&mut self, start: usize) -> Result<(), XmlError> {
        let name = self.scan.qname()?;
        self.scan.space();
        self.scan.expect(">")?;
        let expected = self
            .open
            .last()
            .and_then(|open| self.doc.data(open.node))
            .map(|data| (data.prefix, data.local));
        if expected != Some(name) {
            return Err(XmlError::new(start, "an end tag that does not fit"));
        }
        self.pop(start..self.scan.at());
        Ok(())
    }

    /// Closes the innermost element; `close` is its end tag in the text.
    fn pop(&mut self, close: std::ops::Range<usize>) {
        let subtree_end = index(self.doc.nodes.len());
        let Some(open) = self.open.pop() else { return };
        self.scope.truncate(open.scope);
        if let Some(data) = element_mut(&mut self.doc, open.node) {
            data.subtree_end = subtree_end;
            data.close = index(close.start)..index(close.end);
        }
    }

    /// Appends a node to the innermost open element, or to the document.
    fn add(&mut self, kind: Kind<'a>) -> Result<u32, XmlError> {
        if self.doc.nodes.len() >= self.max_nodes.min(u32::MAX as usize) {
            return self.scan.fail("the document has too many nodes");
        }
        let id = index(self.doc.nodes.len());
        let (parent, last) = match self.open.last_mut() {
            Some(open) => (open.node, &mut open.last_child),
            None => (NONE, &mut self.last_top),
        };
        let before = std::mem::replace(last, id);
        self.doc.nodes.push(Node {
            parent,
            next: NONE,
            kind,
        });
        if before != NONE {
            if let Some(sibling) = self.doc.nodes.get_mut(before as usize) {
                sibling.next = id;
            }
        } else if parent == NONE {
            if let Some(document) = self.doc.nodes.first_mut() {
                document.kind = Kind::Document(id);
            }
        } else if let Some(data) = element_mut(&mut self.doc, parent) {
            data.first_child = id;
        }
        Ok(id)
    }

    fn finish(self) -> Result<Document<'a>, XmlError> {
        if !self.open.is_empty() {
            return self.scan.fail("an element is not closed");
        }
        if self.doc.root == NONE {
            return self.scan.fail("there is no root element");
        }
        Ok(self.doc)
    }
}

fn element_mut<'d, 'a>(doc: &'d mut Document<'a>, node: u32) -> Option<&'d mut ElementData<'a>> {
    match doc.nodes.get(node as usize)?.kind {
        Kind::Element(element) => doc.elements.get_mut(element as usize),
        _ => None,
    }
}

/// Counts and positions fit: `parse` refuses texts and node counts above u32.
fn index(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
