//! Canonical XML straight from a tree.

use std::ops::Range;

use crate::layout::error::{LayoutError, rule};
use crate::layout::structure::{Leftover, Place, arrange, as_given, simple_order};
use crate::layout::table::{Complex, Content, Declaration, Namespace, Table, Type};
use crate::tree::{self, Node};
use crate::xml::{MAX_DEPTH, escape_attribute};
use crate::xmldsig::{Algorithm, CanonicalParts, Prepared, SignXmlError, prepare_canonical};

/// Canonical XML, and where the part to sign is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// C14N 1.0: no declaration, no white space, no `<a/>`, attributes sorted.
    pub xml: String,
    /// Namespace declared at the root, which the signed element inherits.
    pub namespace: &'static str,
    /// What is signed, if the layout signs something here and it is not signed
    /// yet; the first, where there are several (`enviNFe`).
    pub signed: Option<Signed>,
}

/// The element a signature refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Its `Id`: the signature refers to `#` and this.
    pub id: String,
    /// From `<` of its start tag to `>` of its end tag.
    pub span: Range<usize>,
    /// Where the `Signature` goes: before the end tag of the element around it.
    pub place: usize,
}

impl Written {
    /// The signature of the document: see [`crate::xmldsig::prepare_canonical`].
    ///
    /// # Errors
    /// Nothing here is signed, or the `Id` cannot stand in a reference.
    pub fn prepare(self, algorithm: Algorithm) -> Result<Prepared, SignXmlError> {
        let Some(signed) = self.signed else {
            return Err(SignXmlError::Unsupported(
                "the layout signs nothing in this document".to_owned(),
            ));
        };
        let parts = CanonicalParts {
            id: &signed.id,
            span: signed.span,
            namespace: self.namespace,
            insertion: signed.place,
        };
        prepare_canonical(self.xml, &parts, algorithm)
    }
}

pub(super) fn write(table: &Table, root: &Node) -> Result<Written, Vec<LayoutError>> {
    let Some(declaration) = table.root_by_name(&root.name) else {
        return Err(vec![LayoutError::new(
            short(&root.name),
            rule::ROOT,
            format!("{} não é um documento deste layout.", short(&root.name)),
            "Use um elemento raiz do layout.".to_owned(),
        )]);
    };
    let mut writer = Writer {
        table,
        xml: String::with_capacity(16 * 1024),
        path: Vec::new(),
        signed: None,
        errors: Vec::new(),
    };
    writer.element(root, declaration, None, false);
    if writer.errors.is_empty() {
        Ok(Written {
            xml: writer.xml,
            namespace: table.uri(declaration.namespace),
            signed: writer.signed,
        })
    } else {
        Err(writer.errors)
    }
}

struct Writer<'t, 'e> {
    table: &'t Table,
    xml: String,
    /// Each level: the siblings, and which of them it is.
    path: Vec<(&'e [Node], usize)>,
    signed: Option<Signed>,
    errors: Vec<LayoutError>,
}

impl<'t, 'e> Writer<'t, 'e> {
    /// `outside` is the namespace around; `sign` says that the layout wants a
    /// signature beside the element, and there is none.
    fn element(
        &mut self,
        element: &'e Node,
        declaration: &Declaration,
        outside: Option<Namespace>,
        sign: bool,
    ) {
        let start = self.xml.len();
        self.xml.push('<');
        self.xml.push_str(declaration.name);
        if outside != Some(declaration.namespace) {
            self.xml.push_str(" xmlns=\"");
            self.xml.push_str(self.table.uri(declaration.namespace));
            self.xml.push('"');
        }
        self.attributes(element, declaration.kind);
        self.xml.push('>');
        let model = self.table.model(declaration.kind);
        match (&element.content, model) {
            (tree::ElementContent::Text(text), None) => self.text(text),
            (tree::ElementContent::Text(text), Some(_)) => {
                if !text.is_empty() {
                    self.error(
                        rule::STRUCTURE,
                        format!("{} é um grupo e veio com um valor.", declaration.name),
                        format!("Informe os campos de {}.", declaration.name),
                    );
                }
            }
            (tree::ElementContent::Children(children), Some(_)) => {
                self.children(children, declaration);
            }
            (tree::ElementContent::Children(children), None) => {
                if !children.is_empty() {
                    self.error(
                        rule::STRUCTURE,
                        format!("{} é um campo e veio com outros dentro.", declaration.name),
                        format!("Informe só o valor de {}.", declaration.name),
                    );
                }
            }
        }
        self.xml.push_str("</");
        self.xml.push_str(declaration.name);
        self.xml.push('>');
        let id = element.attributes.iter().find(|(name, _)| name == "Id");
        if let (true, Some((_, id)), None) = (sign, id, &self.signed) {
            self.signed = Some(Signed {
                id: id.clone(),
                span: start..self.xml.len(),
                place: 0,
            });
        }
    }

    fn attributes(&mut self, element: &Node, kind: Type) {
        if element.attributes.is_empty() {
            return;
        }
        let complex = match kind {
            Type::Complex(index) => self.table.complex(index),
            Type::Simples(_) => None,
        };
        let mut attributes: Vec<&(tree::Name, String)> = element.attributes.iter().collect();
        // C14N 1.0, §2.2: by name, for attributes without namespace.
        attributes.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, value) in attributes {
            let known = complex.is_some_and(|kind| {
                kind.any_attribute || kind.attributes.iter().any(|a| a.name == name)
            });
            if !known {
                let name = short(name);
                self.error(
                    rule::UNKNOWN_ATTRIBUTE,
                    format!("{} não tem o atributo {name}.", short(&element.name)),
                    format!("Retire o atributo {name}."),
                );
                continue;
            }
            self.attribute(name, value);
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.check_characters(value);
        self.xml.push(' ');
        self.xml.push_str(name);
        self.xml.push_str("=\"");
        escape_attribute(&mut self.xml, value);
        self.xml.push('"');
    }

    fn children(&mut self, children: &'e [Node], parent: &Declaration) {
        let Some(model) = self.table.model(parent.kind) else {
            return;
        };
        if self.path.len() >= MAX_DEPTH {
            return self.error(
                rule::STRUCTURE,
                "Há elementos demais uns dentro dos outros.".to_owned(),
                "Reduza os níveis do documento.".to_owned(),
            );
        }
        let names: Vec<&str> = children.iter().map(|child| &*child.name).collect();
        let sign = model
            .declarations
            .iter()
            .any(|d| d.namespace == Namespace::Signature && d.name == "Signature")
            && !names.contains(&"Signature");
        let order = simple_order(model, &names)
            .or_else(|| Some(as_given(model, &names)?.into_iter().enumerate().collect()));
        if let Some(order) = order {
            for (index, declaration) in order {
                if let (Some(child), Some(declaration)) =
                    (children.get(index), model.declarations.get(declaration))
                {
                    self.descend(children, index, |writer| {
                        writer.element(child, declaration, Some(parent.namespace), sign);
                    });
                }
            }
            return self.signature_place(sign);
        }
        let arrangement = arrange(model, &names);
        for (index, place) in &arrangement.order {
            let Some(child) = children.get(*index) else {
                continue;
            };
            self.descend(children, *index, |writer| match place {
                Place::Element(declaration) => {
                    if let Some(declaration) = model.declarations.get(*declaration) {
                        writer.element(child, declaration, Some(parent.namespace), sign);
                    }
                }
                Place::Any(_) => writer.free(child),
            });
        }
        for leftover in &arrangement.left_over {
            let (Leftover::Repeated { child: index, .. }
            | Leftover::Excluded { child: index, .. }
            | Leftover::Unknown { child: index }) = leftover;
            let Some(child) = children.get(*index) else {
                continue;
            };
            let declaration = model.declarations.iter().find(|d| d.name == child.name);
            self.descend(children, *index, |writer| match declaration {
                // Too many or not together: written at the end, judged by the
                // validation that follows.
                Some(declaration) => {
                    writer.element(child, declaration, Some(parent.namespace), false)
                }
                None => {
                    let name = short(&child.name);
                    writer.error(
                        rule::UNKNOWN,
                        format!("{name} não existe em {} no layout.", parent.name),
                        format!("Retire {name}."),
                    );
                }
            });
        }
        self.signature_place(sign);
    }

    /// The element around the signed one ends here.
    fn signature_place(&mut self, sign: bool) {
        if let (true, Some(signed)) = (sign, self.signed.as_mut())
            && signed.place == 0
        {
            signed.place = self.xml.len();
        }
    }

    fn descend(
        &mut self,
        siblings: &'e [Node],
        index: usize,
        makes: impl FnOnce(&mut Writer<'t, 'e>),
    ) {
        self.path.push((siblings, index));
        makes(self);
        self.path.pop();
    }

    /// Content of a wildcard: written as it is, in the namespace around it.
    fn free(&mut self, element: &'e Node) {
        let good_name = |name: &str| {
            !name.is_empty()
                && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        let good_names =
            good_name(&element.name) && element.attributes.iter().all(|(name, _)| good_name(name));
        if !good_names || self.path.len() >= MAX_DEPTH {
            let name = short(&element.name);
            return self.error(
                rule::UNKNOWN,
                format!("{name} não pode ser escrito em XML."),
                "Use nomes com letras e dígitos, em poucos níveis.".to_owned(),
            );
        }
        self.xml.push('<');
        self.xml.push_str(&element.name);
        let mut attributes: Vec<&(tree::Name, String)> = element.attributes.iter().collect();
        attributes.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, value) in attributes {
            self.attribute(name, value);
        }
        self.xml.push('>');
        match &element.content {
            tree::ElementContent::Text(text) => self.text(text),
            tree::ElementContent::Children(children) => {
                for (index, child) in children.iter().enumerate() {
                    self.descend(children, index, |writer| writer.free(child));
                }
            }
        }
        self.xml.push_str("</");
        self.xml.push_str(&element.name);
        self.xml.push('>');
    }

    fn text(&mut self, text: &str) {
        self.check_characters(text);
        escape_text(&mut self.xml, text);
    }

    fn check_characters(&mut self, text: &str) {
        if has_forbidden(text) {
            self.error(
                rule::XML,
                "O valor tem um caractere de controle, que o XML não admite.".to_owned(),
                "Retire os caracteres de controle.".to_owned(),
            );
        }
    }

    fn error(&mut self, rule: &'static str, message: String, correction: String) {
        const MAX_ERRORS: usize = 1000;
        if self.errors.len() < MAX_ERRORS {
            let path = self
                .path
                .iter()
                .map(|(list, i)| step(list, *i))
                .collect::<Vec<_>>();
            self.errors
                .push(LayoutError::new(path.join("/"), rule, message, correction));
        }
    }
}

/// `det[2]`, or the name alone where it is the only one.
fn step(siblings: &[Node], index: usize) -> String {
    let name = siblings.get(index).map_or("", |this| &*this.name);
    let equal = |list: &[Node]| list.iter().filter(|other| other.name == name).count();
    if equal(siblings) > 1 {
        let before = equal(siblings.get(..index).unwrap_or_default());
        format!("{}[{}]", short(name), before + 1)
    } else {
        short(name)
    }
}

/// XML 1.0 §2.2: such a character cannot even be written as a reference.
pub(super) fn has_forbidden(text: &str) -> bool {
    let forbidden = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    text.contains(forbidden)
}

/// C14N 1.0, §2.3: character data.
pub(super) fn escape_text(output: &mut String, text: &str) {
    let mut start = 0;
    for (index, byte) in text.bytes().enumerate() {
        let by = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'\r' => "&#xD;",
            _ => continue,
        };
        output.push_str(text.get(start..index).unwrap_or(""));
        output.push_str(by);
        start = index + 1;
    }
    output.push_str(text.get(start..).unwrap_or(""));
}

fn short(name: &str) -> String {
    name.chars().take(60).collect()
}

/// Content kind, for readers of trees.
pub(super) fn content_of(table: &Table, kind: Type) -> Option<&Complex> {
    match kind {
        Type::Complex(index) => table.complex(index),
        Type::Simples(_) => None,
    }
}

/// Is it written with a value rather than with children?
pub(super) fn has_value(table: &Table, kind: Type) -> bool {
    match content_of(table, kind) {
        None => true,
        Some(complex) => matches!(complex.content, Content::Simples(_)),
    }
}
