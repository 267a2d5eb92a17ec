//! A document against its table: all errors in one walk.

mod children;
mod value;

pub(super) use value::check;

use std::collections::HashSet;

use crate::layout::error::{LayoutError, rule};
use crate::layout::phrases;
use crate::layout::table::{Complex, Content, Declaration, Namespace, Table, Type};
use crate::xml::{Document, Element};
use crate::xmldsig::DSIG_NAMESPACE;

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XS: &str = "http://www.w3.org/2001/XMLSchema";
/// Errors of one answer: beyond this nobody reads on.
const MAX_ERRORS: usize = 1000;

pub(super) fn validate(table: &Table, xml: &str) -> Vec<LayoutError> {
    let doc = match Document::parse(xml) {
        Ok(doc) => doc,
        Err(error) => return vec![malformed(xml, &error)],
    };
    let mut validator = Validator {
        table,
        doc: &doc,
        has_cdata: xml.contains("<![CDATA["),
        stack: Vec::with_capacity(16),
        ids: HashSet::new(),
        errors: Vec::new(),
        full: false,
    };
    validator.root(doc.root());
    validator.ends()
}

fn malformed(xml: &str, error: &crate::xml::XmlError) -> LayoutError {
    let before = xml.get(..error.offset).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    LayoutError::new(
        String::new(),
        rule::XML,
        format!("O XML não está bem formado (linha {line}, coluna {column})."),
        "Corrija o XML: marcas abertas e fechadas, caracteres especiais escapados, sem DTD."
            .to_owned(),
    )
    .original(error.message.clone())
}

/// One level of the path to where the walk is.
struct Step<'d> {
    name: &'d str,
    /// From 1; 0 where the layout allows one only.
    index: u32,
}

struct Validator<'t, 'd> {
    table: &'t Table,
    doc: &'d Document<'d>,
    has_cdata: bool,
    stack: Vec<Step<'d>>,
    ids: HashSet<&'d str>,
    errors: Vec<LayoutError>,
    full: bool,
}

impl<'t: 'd, 'd> Validator<'t, 'd> {
    fn root(&mut self, root: Element<'d>) {
        let namespace = self.table.namespace(root.namespace());
        self.enters(root.name(), 0);
        if let Some(declaration) = self.table.root(namespace, root.name()) {
            return self.element(root, declaration.kind);
        }
        if let Some(declaration) = self.table.root_by_name(root.name()) {
            self.wrong_namespace(root, declaration);
            return self.element(root, declaration.kind);
        }
        let names = self
            .table
            .roots
            .iter()
            .filter(|r| r.namespace == Namespace::Layout);
        let expected = phrases::list(names.map(|root| root.name), "ou");
        self.error(LayoutError::new(
            root.name().chars().take(60).collect(),
            rule::ROOT,
            "O elemento raiz do XML não é deste layout.".to_owned(),
            format!("Envie um XML cuja raiz seja {expected}."),
        ));
    }

    /// Most useful first; among equals, in document order.
    fn ends(mut self) -> Vec<LayoutError> {
        if self.full {
            self.errors.push(LayoutError::new(
                String::new(),
                rule::LIMIT,
                format!("Há mais de {MAX_ERRORS} erros; os demais não foram listados."),
                "Corrija os erros listados e valide de novo.".to_owned(),
            ));
        }
        let signature = |error: &LayoutError| error.caminho.contains("Signature");
        self.errors
            .sort_by_key(|error| (rule::turn(error.regra) + 3 * u8::from(signature(error))).min(9));
        self.errors
    }

    fn enters(&mut self, name: &'d str, index: u32) {
        self.stack.push(Step { name, index });
    }

    fn leaves(&mut self) {
        self.stack.pop();
    }

    /// Path of the element the walk is at, below the root.
    fn path(&self) -> String {
        let below = self.stack.get(1..).unwrap_or_default();
        let steps = if below.is_empty() {
            self.stack.as_slice()
        } else {
            below
        };
        let mut path = String::new();
        for step in steps {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(step.name);
            if step.index > 0 {
                path.push_str(&format!("[{}]", step.index));
            }
        }
        path
    }

    /// Path of a child of the element the walk is at.
    fn child_path(&self, name: &str) -> String {
        if self.stack.len() <= 1 {
            return name.to_owned();
        }
        format!("{}/{name}", self.path())
    }

    fn error(&mut self, error: LayoutError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        } else {
            self.full = true;
        }
    }

    fn wrong_namespace(&mut self, element: Element<'d>, declaration: &Declaration) {
        let right = self.table.uri(declaration.namespace);
        let came = element.namespace();
        let message = if came.is_empty() {
            format!("{} está sem namespace.", declaration.name)
        } else {
            format!("{} está em outro namespace.", declaration.name)
        };
        let path = self.path();
        self.error(
            LayoutError::new(
                path,
                rule::NAMESPACE,
                message,
                format!("Declare xmlns=\"{right}\" para {}.", declaration.name),
            )
            .with_value(Some(came).filter(|came| !came.is_empty()))
            .original(format!("namespace {right}")),
        );
    }

    /// An element whose declaration says this type.
    fn element(&mut self, element: Element<'d>, declared: Type) {
        if self.full {
            return;
        }
        let kind = self.xsi(element, declared);
        match kind {
            Type::Simples(index) => {
                self.without_attributes(element);
                self.simple_text(element, index);
            }
            Type::Complex(index) => {
                let Some(complex) = self.table.complex(index) else {
                    return;
                };
                self.attributes(element, complex);
                match &complex.content {
                    Content::Simples(index) => self.simple_text(element, *index),
                    Content::Empty => self.empty(element, complex),
                    Content::Elements(model) => {
                        if !complex.mixed {
                            self.only_elements(element, true);
                        }
                        self.children(element, complex, model);
                    }
                }
                for unique in &complex.unique {
                    self.unique(element, unique.all, unique.attribute);
                }
            }
        }
    }

    /// What `xsi:type` and `xsi:nil` make of the type.
    fn xsi(&mut self, element: Element<'d>, declared: Type) -> Type {
        let mut kind = declared;
        for (namespace, name, value) in element.attributes() {
            if namespace != XSI {
                continue;
            }
            let path = || format!("@xsi:{}", name.chars().take(60).collect::<String>());
            match name {
                "schemaLocation" | "noNamespaceSchemaLocation" => {}
                "type" => match self.document_kind(element, value, declared) {
                    Some(other) => kind = other,
                    None => self.undue_xsi(path()),
                },
                // No element of the official layouts is nillable.
                _ => self.undue_xsi(path()),
            }
        }
        kind
    }

    fn undue_xsi(&mut self, attribute: String) {
        let message = format!("{} não é aceito aqui.", attribute.trim_start_matches('@'));
        self.error(LayoutError::new(
            format!("{}/{attribute}", self.path()),
            rule::XSI,
            message,
            "Retire o atributo.".to_owned(),
        ));
    }

    /// The type a document names, if it is the declared one or restricts it.
    fn document_kind(&self, element: Element<'d>, qname: &str, declared: Type) -> Option<Type> {
        let qname = qname.trim();
        let (prefix, local) = qname.split_once(':').unwrap_or(("", qname));
        let scope = self.doc.namespaces_in_scope(element.id());
        let uri = scope
            .iter()
            .find(|(other, _)| *other == prefix)
            .map_or("", |(_, uri)| *uri);
        let name = match uri {
            XS => format!("xs:{local}"),
            DSIG_NAMESPACE => format!("ds:{local}"),
            uri if uri == self.table.namespace => local.to_owned(),
            _ => return None,
        };
        if uri == XS {
            return self.embedded(&name, declared);
        }
        let kind = self.table.kind(&name)?;
        if kind == declared {
            return Some(kind);
        }
        let (Type::Simples(from), Type::Simples(base)) = (kind, declared) else {
            return None;
        };
        let base = self.table.simples(base)?;
        let mut current = self.table.simples(from)?;
        if base.name == base.embedded {
            return value::restrict(current.embedded, base.embedded).then_some(kind);
        }
        // Chains of derivation are short; the bound is for a table gone wrong.
        for _ in 0..16 {
            if current.name == base.name {
                return Some(kind);
            }
            let Some(Type::Simples(parent)) = current.derive.and_then(|name| self.table.kind(name))
            else {
                // The parent itself is not in the table, so it is not the base.
                return (current.derive == Some(base.name)).then_some(kind);
            };
            current = self.table.simples(parent)?;
        }
        None
    }

    /// A built-in type in `xsi:type`, where the declared one is built in too.
    fn embedded(&self, name: &str, declared: Type) -> Option<Type> {
        let Type::Simples(index) = declared else {
            return None;
        };
        let base = self.table.simples(index)?;
        if base.name != base.embedded || !value::restrict(name, base.embedded) {
            return None;
        }
        match self.table.kind(name) {
            Some(kind) => Some(kind),
            None => Some(declared),
        }
    }

    fn without_attributes(&mut self, element: Element<'d>) {
        for (namespace, name, _) in element.attributes() {
            if namespace != XSI {
                self.unknown_attribute(element, name);
            }
        }
    }

    fn attributes(&mut self, element: Element<'d>, kind: &'t Complex) {
        let mut mandatory = 0;
        for (namespace, name, value) in element.attributes() {
            if namespace == XSI {
                continue;
            }
            let declared = kind.attributes.iter().find(|a| a.name == name);
            match declared.filter(|_| namespace.is_empty()) {
                Some(attribute) => {
                    mandatory += usize::from(attribute.mandatory);
                    self.attribute_value(attribute, value);
                }
                None if kind.any_attribute => {}
                None => self.unknown_attribute(element, name),
            }
        }
        if mandatory == kind.attributes.iter().filter(|a| a.mandatory).count() {
            return;
        }
        for attribute in kind.attributes.iter().filter(|a| a.mandatory) {
            if element.attribute(attribute.name).is_none() {
                self.error(LayoutError::new(
                    format!("{}/@{}", self.path(), attribute.name),
                    rule::MANDATORY_ATTRIBUTE,
                    format!("Falta o atributo {} de {}.", attribute.name, element.name()),
                    format!("Informe {} em {}.", attribute.name, element.name()),
                ));
            }
        }
    }

    fn unknown_attribute(&mut self, element: Element<'d>, name: &str) {
        let name: String = name.chars().take(60).collect();
        self.error(LayoutError::new(
            format!("{}/@{name}", self.path()),
            rule::UNKNOWN_ATTRIBUTE,
            format!("{} não tem o atributo {name}.", element.name()),
            format!("Retire o atributo {name}."),
        ));
    }

    /// Text beside children: only white space may be there.
    fn only_elements(&mut self, element: Element<'d>, blanks: bool) {
        let text = element.has_text(!blanks);
        if text || (self.has_cdata && children::has_cdata(self.doc, element)) {
            let path = self.path();
            self.error(LayoutError::new(
                path,
                rule::UNEXPECTED_TEXT,
                format!("Há texto solto dentro de {}.", element.name()),
                "Retire o texto que está fora das marcas dos campos.".to_owned(),
            ));
        }
    }

    fn empty(&mut self, element: Element<'d>, kind: &Complex) {
        self.only_elements(element, false);
        if element.children().next().is_some() {
            let path = self.path();
            self.error(LayoutError::new(
                path,
                rule::STRUCTURE,
                format!("{} não pode ter conteúdo.", kind.name),
                format!("Deixe {} vazio.", kind.name),
            ));
        }
    }

    fn unique(&mut self, element: Element<'d>, all: bool, attribute: &'static str) {
        let mut seen = HashSet::new();
        let mut repeated = Vec::new();
        let mut look = |child: Element<'d>| {
            if let Some(value) = child.attribute(attribute)
                && !seen.insert(value)
            {
                repeated.push((child.name(), value));
            }
        };
        if all {
            element.descendants_or_self().skip(1).for_each(&mut look);
        } else {
            element.children().for_each(&mut look);
        }
        for (name, value) in repeated {
            if self.full {
                break;
            }
            let error = LayoutError::new(
                format!("{}/@{attribute}", self.child_path(name)),
                rule::UNIQUE,
                format!("{attribute} se repete em {name}."),
                format!("Numere cada {name} com um {attribute} diferente."),
            );
            self.error(error.with_value(Some(value)));
        }
    }
}
