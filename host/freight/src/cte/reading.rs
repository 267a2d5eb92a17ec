//! A CT-e somebody else made, in the field names of the API.

use super::NAMESPACE;
use super::fields::{INF_CTE, INF_CTE_SUPL, PROTOCOL};
use fiscal::fields::{Group, MAX_OTHERS, Other, Reader};
use markup::xml::{Document, Element, XmlError};
use serde::Serialize;
use thiserror::Error;

/// Why a document could not be read as a CT-e. The texts are for the customer.
#[derive(Debug, Error)]
pub enum ReadingError {
    #[error("{}", .0.for_client())]
    Xml(#[from] XmlError),
    /// No element of that name in the namespace of CT-e.
    #[error("O documento não tem {0} no espaço de nomes do CT-e.")]
    Absent(&'static str),
    #[error("O documento tem mais de um elemento {0}.")]
    Batch(&'static str),
    /// A CT-e OS, a simplified one or a GTV-e: they have other layouts.
    #[error("O documento é do modelo {0}; lê-se aqui o CT-e, modelo 57.")]
    Model(String),
}

/// A CT-e of anybody. Written by serde: the members of the document beside
/// `fora_do_pedido`, `protocolo`, `outros`, `avisos`. Without these, and without
/// what a document says of itself, it is a request
/// ([`super::order::Pedido`]).
#[derive(Debug, Clone, Serialize)]
pub struct ReadCte<'d> {
    /// 44 positions as the `Id` has them, whatever they are.
    pub chave: &'d str,
    /// Everything of `infCte` and `infCTeSupl`.
    #[serde(flatten)]
    pub documento: Group<'d>,
    /// What the document says of itself inside of groups that a request takes,
    /// and a request does not: the same paths.
    #[serde(skip_serializing_if = "Group::is_empty")]
    pub fora_do_pedido: Group<'d>,
    /// Of a `cteProc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocolo: Option<Group<'d>>,
    /// What the tables have no name for, by official path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outros: Vec<Other<'d>>,
    /// What a reader should know, in pt-BR.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avisos: Vec<String>,
}

impl ReadCte<'_> {
    /// Text or number at a dotted path of names: `emitente.endereco.uf`.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.documento.text(path)
    }
}

/// Reads a CT-e: `CTe` or `cteProc`, prefixed or not, alone or inside of
/// something else.
///
/// # Errors
/// There is no `CTe/infCte` of the namespace of CT-e, or more than one; the
/// document is of another model.
pub fn read<'d>(doc: &'d Document<'d>) -> Result<ReadCte<'d>, ReadingError> {
    let cte = only(doc, "CTe")?;
    let inf = child(cte, "infCte").ok_or(ReadingError::Absent("infCte"))?;
    let mut reader = Reader::new();
    let mut documento = Group::with_capacity(48);
    reader.read(inf, INF_CTE, &mut documento);
    reader.read_rest(cte, &["infCte", "infCTeSupl"]);
    if let Some(supplement) = child(cte, "infCTeSupl") {
        reader.read(supplement, INF_CTE_SUPL, &mut documento);
    }
    let mut protocol = None;
    if let Some(proc) = cte.parent().filter(|parent| parent.name() == "cteProc") {
        reader.read_rest(proc, &["CTe", "protCTe", "@versao", "@ipTransmissor"]);
        if let Some(found) = child(proc, "protCTe") {
            let mut group = Group::with_capacity(12);
            reader.read(found, PROTOCOL, &mut group);
            protocol = Some(group);
        }
    }
    if let Some(other) = documento.text("modelo").filter(|model| *model != "57") {
        return Err(ReadingError::Model(other.chars().take(4).collect()));
    }
    let id = inf.attribute("Id").unwrap_or("");
    let notices = notices(&documento, reader.cut);
    Ok(ReadCte {
        chave: id.strip_prefix("CTe").unwrap_or(id),
        documento,
        fora_do_pedido: reader.apart,
        protocolo: protocol,
        outros: reader.others,
        avisos: notices,
    })
}

fn only<'d>(doc: &'d Document<'d>, name: &'static str) -> Result<Element<'d>, ReadingError> {
    let mut found = doc
        .elements()
        .filter(|element| element.name() == name && element.namespace() == NAMESPACE);
    let first = found.next();
    let other = |name: &&str| doc.elements().any(|element| element.name() == *name);
    match (first, found.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(ReadingError::Batch(name)),
        (None, _) => Err(
            match ["CTeOS", "CTeSimp", "GTVe"].iter().find(|name| other(name)) {
                Some(kind) => ReadingError::Model((*kind).to_owned()),
                None => ReadingError::Absent(name),
            },
        ),
    }
}

/// The first child of that name in the namespace of CT-e.
fn child<'d>(parent: Element<'d>, name: &str) -> Option<Element<'d>> {
    parent
        .children()
        .find(|element| element.name() == name && element.namespace() == NAMESPACE)
}

fn notices(documento: &Group<'_>, cut: bool) -> Vec<String> {
    let mut notices = Vec::new();
    match documento.text("layout") {
        Some("4.00") => {}
        Some(other) => notices.push(format!(
            "O CT-e é do leiaute {}, não do 4.00: campos que mudaram estão em outros.",
            other.chars().take(10).collect::<String>()
        )),
        None => notices.push("O CT-e não diz a versão do leiaute.".to_owned()),
    }
    if cut {
        notices.push(format!(
            "Há mais de {MAX_OTHERS} campos desconhecidos; os demais ficaram fora."
        ));
    }
    notices
}
