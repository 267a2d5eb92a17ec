//! A document somebody else made, in the field names of the API.

use fiscal::fields::{Field, Group, MAX_OTHERS, Other, Reader};
use fiscal::nfe::event::Family;
use markup::xml::{Document, Element, XmlError};
use serde::Serialize;
use thiserror::Error;

/// Why a document could not be read. The texts are for the customer.
#[derive(Debug, Error)]
pub enum ReadingError {
    #[error("{}", .0.for_client())]
    Xml(#[from] XmlError),
    /// No element of that name in the namespace of the document's kind.
    #[error("O documento não tem {element} no espaço de nomes do {kind}.")]
    Absent {
        element: &'static str,
        kind: &'static str,
    },
    /// The element is there, in another namespace or in none.
    #[error("{}", wrong_namespace(element, kind, found, right))]
    Namespace {
        element: &'static str,
        kind: &'static str,
        found: String,
        right: &'static str,
    },
    #[error("O documento tem mais de um elemento {0}.")]
    Batch(&'static str),
    /// A document of the same namespace that has another layout.
    #[error("O documento é do modelo {found}; lê-se aqui o {kind}, modelo {model}.")]
    Model {
        found: String,
        kind: &'static str,
        model: &'static str,
    },
}

fn wrong_namespace(element: &str, kind: &str, found: &str, right: &str) -> String {
    let told = match found {
        "" => "não tem espaço de nomes".to_owned(),
        other => format!(
            "está no espaço de nomes {}",
            other.chars().take(80).collect::<String>()
        ),
    };
    format!("O elemento {element} {told}; o do {kind} é xmlns=\"{right}\".")
}

/// What one kind of document is read by.
pub(crate) struct Form {
    pub family: Family,
    /// For people: `CT-e`.
    pub kind: &'static str,
    pub model: &'static str,
    /// `infCte`, and its table.
    pub body: (&'static str, &'static [Field]),
    /// `infCTeSupl`, and its table.
    pub supplement: (&'static str, &'static [Field]),
    /// Table of the protocol.
    pub protocol: &'static [Field],
    /// Elements of other documents of the same namespace.
    pub others: &'static [&'static str],
}

/// A document of anybody. Written by serde: the members of the document beside
/// `fora_do_pedido`, `protocolo`, `outros`, `avisos`. Without these, and without
/// what a document says of itself, it is a request.
#[derive(Debug, Clone, Serialize)]
pub struct ReadDocument<'d> {
    /// 44 positions as the `Id` has them, whatever they are.
    pub chave: &'d str,
    /// Everything of the document and its supplement.
    #[serde(flatten)]
    pub documento: Group<'d>,
    /// What the document says of itself inside of groups that a request takes,
    /// and a request does not: the same paths.
    #[serde(skip_serializing_if = "Group::is_empty")]
    pub fora_do_pedido: Group<'d>,
    /// Where document and protocol are joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocolo: Option<Group<'d>>,
    /// What the tables have no name for, by official path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outros: Vec<Other<'d>>,
    /// What a reader should know, in pt-BR.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avisos: Vec<String>,
}

impl ReadDocument<'_> {
    /// Text or number at a dotted path of names: `emitente.endereco.uf`.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.documento.text(path)
    }
}

/// Reads a document, prefixed or not, alone or inside of something else.
///
/// # Errors
/// There is no such document of the namespace, or more than one; it is of
/// another model.
pub(crate) fn read<'d>(
    form: &Form,
    doc: &'d Document<'d>,
) -> Result<ReadDocument<'d>, ReadingError> {
    let family = form.family;
    let (document, body) = parts(form, doc)?;
    let mut reader = Reader::new();
    let mut documento = Group::with_capacity(48);
    reader.read(body, form.body.1, &mut documento);
    reader.read_rest(document, &[form.body.0, form.supplement.0]);
    if let Some(supplement) = child(form, document, form.supplement.0) {
        reader.read(supplement, form.supplement.1, &mut documento);
    }
    let mut protocol = None;
    let around = document.parent();
    if let Some(proc) = around.filter(|parent| parent.name() == family.joined()) {
        reader.read_rest(
            proc,
            &[
                family.document(),
                family.protocol(),
                "@versao",
                "@ipTransmissor",
                "@nPortaCon",
                "@dhConexao",
            ],
        );
        if let Some(found) = child(form, proc, family.protocol()) {
            let mut group = Group::with_capacity(12);
            reader.read(found, form.protocol, &mut group);
            protocol = Some(group);
        }
    }
    if let Some(other) = documento
        .text("modelo")
        .filter(|model| *model != form.model)
    {
        return Err(another(form, other.chars().take(4).collect()));
    }
    let id = body.attribute("Id").unwrap_or("");
    let notices = notices(form, &documento, reader.cut);
    Ok(ReadDocument {
        chave: id.strip_prefix(family.document()).unwrap_or(id),
        documento,
        fora_do_pedido: reader.apart,
        protocolo: protocol,
        outros: reader.others,
        avisos: notices,
    })
}

/// The only document of its kind, and its body: `CTe` and `infCte`.
///
/// # Errors
/// There is none of the namespace, or more than one.
pub(crate) fn parts<'d>(
    form: &Form,
    doc: &'d Document<'d>,
) -> Result<(Element<'d>, Element<'d>), ReadingError> {
    let document = only(form, doc)?;
    let body = child(form, document, form.body.0).ok_or(ReadingError::Absent {
        element: form.body.0,
        kind: form.kind,
    })?;
    Ok((document, body))
}

fn only<'d>(form: &Form, doc: &'d Document<'d>) -> Result<Element<'d>, ReadingError> {
    let name = form.family.document();
    let mut found = doc
        .elements()
        .filter(|element| element.name() == name && element.namespace() == form.family.namespace());
    let first = found.next();
    let other = |name: &&&str| doc.elements().any(|element| element.name() == **name);
    match (first, found.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(ReadingError::Batch(name)),
        (None, _) => Err(match form.others.iter().find(other) {
            Some(kind) => another(form, (*kind).to_owned()),
            None => absent(form, doc, name),
        }),
    }
}

/// There is no such element of the namespace: perhaps one of another.
fn absent(form: &Form, doc: &Document<'_>, element: &'static str) -> ReadingError {
    let kind = form.kind;
    match doc.elements().find(|other| other.name() == element) {
        Some(other) => ReadingError::Namespace {
            element,
            kind,
            found: other.namespace().to_owned(),
            right: form.family.namespace(),
        },
        None => ReadingError::Absent { element, kind },
    }
}

fn another(form: &Form, found: String) -> ReadingError {
    ReadingError::Model {
        found,
        kind: form.kind,
        model: form.model,
    }
}

/// The first child of that name in the namespace of the documents.
fn child<'d>(form: &Form, parent: Element<'d>, name: &str) -> Option<Element<'d>> {
    parent
        .children()
        .find(|element| element.name() == name && element.namespace() == form.family.namespace())
}

fn notices(form: &Form, documento: &Group<'_>, cut: bool) -> Vec<String> {
    let mut notices = Vec::new();
    let (kind, version) = (form.kind, form.family.document_version());
    match documento.text("layout") {
        Some(own) if own == version => {}
        Some(other) => notices.push(format!(
            "O {kind} é do leiaute {}, não do {version}: campos que mudaram estão em outros.",
            other.chars().take(10).collect::<String>()
        )),
        None => notices.push(format!("O {kind} não diz a versão do leiaute.")),
    }
    if cut {
        notices.push(format!(
            "Há mais de {MAX_OTHERS} campos desconhecidos; os demais ficaram fora."
        ));
    }
    notices
}
