//! Canonical XML 1.0 (W3C REC-xml-c14n-20010315) and Exclusive XML
//! Canonicalization 1.0 (REC-xml-exc-c14n-20020718) of a whole sub-tree.

use super::document::{Document, Kind, NONE, NodeId, XML_URI};

/// Which canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum C14n {
    /// Canonical XML 1.0: the namespaces and `xml:` attributes in force around
    /// the sub-tree belong to it.
    Inclusive,
    /// Exclusive: only the prefixes the sub-tree uses in its names.
    Exclusive,
}

/// What becomes of comments in the canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    /// They belong to it: the forms `#WithComments`.
    Keep,
    /// They are left out.
    Drop,
}

/// The canonical form, without comments, of `node` and all inside it, `skip`
/// and all inside that left out (the enveloped signature).
///
/// `node` may be an element or [`Document::document`]; a node of another
/// document, or one that is neither, gives an empty text.
pub fn canonicalize(doc: &Document<'_>, node: NodeId, form: C14n, skip: Option<NodeId>) -> String {
    canonicalize_with(doc, node, form, Comments::Drop, skip)
}

/// The same as [`canonicalize`], with or without comments.
pub fn canonicalize_with(
    doc: &Document<'_>,
    node: NodeId,
    form: C14n,
    comments: Comments,
    skip: Option<NodeId>,
) -> String {
    let mut writer = Writer {
        doc,
        form,
        comments,
        skip: skip.map_or(NONE, |id| id.0),
        apex: NONE,
        out: String::with_capacity(
            doc.element(node)
                .map_or(doc.text().len(), |element| element.span().len() * 5 / 4),
        ),
        rendered: Vec::new(),
    };
    match doc.node(node.0).map(|found| &found.kind) {
        Some(Kind::Document(first)) => {
            writer.apex = doc.root;
            writer.document(*first);
        }
        Some(Kind::Element(_)) => {
            writer.apex = node.0;
            writer.element(node.0);
        }
        _ => {}
    }
    writer.out
}

/// Writes an attribute's value as canonical form wants it.
pub fn escape_attribute(out: &mut String, value: &str) {
    escape(out, value, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'"' => Some("&quot;"),
        b'\t' => Some("&#x9;"),
        b'\n' => Some("&#xA;"),
        b'\r' => Some("&#xD;"),
        _ => None,
    });
}

fn escape_text(out: &mut String, value: &str) {
    escape(out, value, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'\r' => Some("&#xD;"),
        _ => None,
    });
}

fn escape(out: &mut String, value: &str, replacement: impl Fn(u8) -> Option<&'static str>) {
    let mut written = 0;
    for (index, byte) in value.bytes().enumerate() {
        if let Some(text) = replacement(byte) {
            out.push_str(value.get(written..index).unwrap_or(""));
            out.push_str(text);
            written = index + 1;
        }
    }
    out.push_str(value.get(written..).unwrap_or(""));
}

struct Writer<'d> {
    doc: &'d Document<'d>,
    form: C14n,
    comments: Comments,
    skip: u32,
    /// Outermost element that is written.
    apex: u32,
    out: String,
    /// Prefix and namespace of the declarations written around this place,
    /// innermost last.
    rendered: Vec<(&'d str, &'d str)>,
}

impl<'d> Writer<'d> {
    /// What stands around the root element gets lines of its own.
    fn document(&mut self, first: u32) {
        let mut id = first;
        let mut after_root = false;
        while let Some(node) = self.doc.node(id).filter(|_| id != NONE) {
            match &node.kind {
                Kind::Element(_) => {
                    self.element(id);
                    after_root = true;
                }
                Kind::Comment(_) if self.comments == Comments::Drop => {}
                kind => {
                    if after_root {
                        self.out.push('\n');
                    }
                    self.leaf(kind);
                    if !after_root {
                        self.out.push('\n');
                    }
                }
            }
            id = node.next;
        }
    }

    /// Recursion is bounded by `MAX_DEPTH`.
    fn element(&mut self, id: u32) {
        let doc = self.doc;
        let Some(data) = doc.data(id).filter(|_| id != self.skip) else {
            return;
        };
        let outer = self.rendered.len();
        self.out.push('<');
        self.name(data.prefix, data.local);
        self.declarations(id);
        self.attributes(id);
        self.out.push('>');
        let mut child = data.first_child;
        while let Some(node) = doc.node(child).filter(|_| child != NONE) {
            match &node.kind {
                Kind::Element(_) => self.element(child),
                kind => self.leaf(kind),
            }
            child = node.next;
        }
        self.out.push_str("</");
        self.name(data.prefix, data.local);
        self.out.push('>');
        self.rendered.truncate(outer);
    }

    fn leaf(&mut self, kind: &Kind<'_>) {
        match kind {
            Kind::Text(text) => escape_text(&mut self.out, text),
            Kind::Instruction(target, data) => {
                self.out.push_str("<?");
                self.out.push_str(target);
                if !data.is_empty() {
                    self.out.push(' ');
                    self.out.push_str(data);
                }
                self.out.push_str("?>");
            }
            Kind::Comment(body) if self.comments == Comments::Keep => {
                self.out.push_str("<!--");
                self.out.push_str(body);
                self.out.push_str("-->");
            }
            Kind::Comment(_) | Kind::Document(_) | Kind::Element(_) => {}
        }
    }

    fn name(&mut self, prefix: &str, local: &str) {
        if !prefix.is_empty() {
            self.out.push_str(prefix);
            self.out.push(':');
        }
        self.out.push_str(local);
    }

    /// Writes the declarations this element needs and the elements written
    /// around it do not give already.
    fn declarations(&mut self, id: u32) {
        let outer = self.rendered.len();
        match self.form {
            C14n::Inclusive if id == self.apex => {
                for (prefix, uri) in self.doc.namespaces_in_scope(NodeId(id)) {
                    self.declare(prefix, uri);
                }
            }
            C14n::Inclusive => {
                let Some(data) = self.doc.data(id) else {
                    return;
                };
                for declaration in self.doc.declarations_of(data) {
                    self.declare(declaration.prefix, self.doc.uri(declaration.uri));
                }
            }
            C14n::Exclusive => {
                let Some(data) = self.doc.data(id) else {
                    return;
                };
                self.declare(data.prefix, self.doc.uri(data.uri));
                for attribute in self
                    .doc
                    .attributes_of(data)
                    .iter()
                    .filter(|a| !a.prefix.is_empty())
                {
                    self.declare(attribute.prefix, self.doc.uri(attribute.uri));
                }
            }
        }
        let new = self.rendered.get_mut(outer..).unwrap_or_default();
        new.sort_unstable();
        for (prefix, uri) in new {
            self.out.push_str(if prefix.is_empty() {
                " xmlns"
            } else {
                " xmlns:"
            });
            self.out.push_str(prefix);
            self.out.push_str("=\"");
            escape_attribute(&mut self.out, uri);
            self.out.push('"');
        }
    }

    /// Notes a declaration unless it is in force already. No default namespace
    /// and an empty one are the same; `xml` is never declared.
    fn declare(&mut self, prefix: &'d str, uri: &'d str) {
        let known = self
            .rendered
            .iter()
            .rev()
            .find(|(name, _)| *name == prefix)
            .map(|(_, known)| *known);
        let known = if prefix.is_empty() {
            known.or(Some(""))
        } else {
            known
        };
        if prefix != "xml" && known != Some(uri) {
            self.rendered.push((prefix, uri));
        }
    }

    fn attributes(&mut self, id: u32) {
        let doc = self.doc;
        let Some(data) = doc.data(id) else { return };
        let inherits = self.form == C14n::Inclusive && id == self.apex;
        let mut inherited = if inherits {
            doc.xml_attributes_in_scope(NodeId(id))
        } else {
            Vec::new()
        }
        .into_iter();
        for attribute in doc.attributes_of(data) {
            // The list holds the element's own `xml:` attributes too.
            if inherits && attribute.uri == XML_URI {
                continue;
            }
            if doc.uri(attribute.uri) > super::XML_NAMESPACE {
                for (local, value) in inherited.by_ref() {
                    self.attribute("xml", local, value);
                }
            }
            self.attribute(attribute.prefix, attribute.local, &attribute.value);
        }
        for (local, value) in inherited {
            self.attribute("xml", local, value);
        }
    }

    fn attribute(&mut self, prefix: &str, local: &str, value: &str) {
        self.out.push(' ');
        self.name(prefix, local);
        self.out.push_str("=\"");
        escape_attribute(&mut self.out, value);
        self.out.push('"');
    }
}
