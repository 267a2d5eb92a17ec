//! A note as it was read.

use serde::Serialize;
use thiserror::Error;

use crate::fields::{Group, MAX_OTHERS, Other, Reader};
use crate::nfe::event::{Family, NAMESPACE};
use crate::nfe::fields;
use crate::nfe::reading::signature::Signature;
use markup::xml::{Document, Element, XmlError};

/// Why a document could not be read as a note. The texts are for the customer.
#[derive(Debug, Error)]
pub enum ReadingError {
    #[error("{}", .0.for_client())]
    Xml(#[from] XmlError),
    /// No element of that name in the namespace of NF-e.
    #[error("O documento não tem {0} no espaço de nomes da NF-e.")]
    Absent(&'static str),
    #[error("O documento tem mais de um elemento {0}.")]
    Batch(&'static str),
}

/// A note of anybody, in the field names of the API. Written by serde: the
/// members of the note beside `fora_do_pedido`, `protocolo`, `assinatura`,
/// `outros`, `avisos`. Without these and [`fields::of_the_note_alone`] it is a
/// request ([`crate::nfe::order::Pedido`], and `serie` and `data_emissao` beside
/// it).
#[derive(Debug, Clone, Serialize)]
pub struct ReadNota<'d> {
    /// 44 positions as the `Id` has them, whatever they are.
    pub chave: &'d str,
    /// Everything of `infNFe` and `infNFeSupl`.
    #[serde(flatten)]
    pub nota: Group<'d>,
    /// What the note says of itself inside of groups that a request takes, and a
    /// request does not: the same paths, items by their `numero`.
    #[serde(skip_serializing_if = "Group::is_empty")]
    pub fora_do_pedido: Group<'d>,
    /// Of a `nfeProc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocolo: Option<Group<'d>>,
    /// Absent until asked for: see [`Signature::of`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assinatura: Option<Signature>,
    /// What the tables have no name for, by official path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outros: Vec<Other<'d>>,
    /// What a reader should know, in pt-BR.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avisos: Vec<String>,
}

impl<'d> ReadNota<'d> {
    /// Text or number at a dotted path of names: `emitente.endereco.uf`.
    pub fn text(&self, caminho: &str) -> Option<&str> {
        self.nota.text(caminho)
    }

    /// `55` or `65`.
    pub fn model(&self) -> &str {
        self.text("modelo").unwrap_or("")
    }

    pub fn items(&self) -> impl Iterator<Item = &Group<'d>> {
        self.nota.list("itens")
    }

    /// With what its signature says.
    #[must_use]
    pub fn with_signature(mut self, signature: Signature) -> ReadNota<'d> {
        self.assinatura = Some(signature);
        self
    }
}

/// Reads a note: `NFe` or `nfeProc`, prefixed or not, alone or inside of
/// something else (`enviNFe`, a SOAP envelope).
///
/// # Errors
/// There is no `NFe/infNFe` of the namespace of NF-e, or more than one.
pub fn read<'d>(doc: &'d Document<'d>) -> Result<ReadNota<'d>, ReadingError> {
    let nfe = nota_of(doc)?;
    let inf = child(nfe, "infNFe").ok_or(ReadingError::Absent("infNFe"))?;
    let mut reader = Reader::new();
    let mut nota = Group::with_capacity(48);
    reader.read(inf, fields::INF_NFE, &mut nota);
    // Of NFe: the supplement and what does not belong here; not infNFe again.
    reader.read_rest(nfe, &["infNFe", "infNFeSupl"]);
    if let Some(supl) = child(nfe, "infNFeSupl") {
        reader.read(supl, fields::INF_NFE_SUPL, &mut nota);
    }
    let mut protocol = None;
    if let Some(proc) = nfe.parent().filter(|parent| parent.name() == "nfeProc") {
        reader.read_rest(proc, &["NFe", "protNFe", "@versao"]);
        if let Some(prot) = child(proc, "protNFe") {
            let mut group = Group::with_capacity(12);
            reader.read(prot, fields::PROTOCOL, &mut group);
            protocol = Some(group);
        }
    }
    let id = inf.attribute("Id").unwrap_or("");
    let notices = notices(&nota, reader.cut);
    Ok(ReadNota {
        chave: id.strip_prefix("NFe").unwrap_or(id),
        nota,
        fora_do_pedido: reader.apart,
        protocolo: protocol,
        assinatura: None,
        outros: reader.others,
        avisos: notices,
    })
}

/// The only `NFe` of a document.
pub(super) fn nota_of<'d>(doc: &'d Document<'d>) -> Result<Element<'d>, ReadingError> {
    only_child(doc, "NFe")
}

/// The only element of that name in the namespace of NF-e.
pub(super) fn only_child<'d>(
    doc: &'d Document<'d>,
    name: &'static str,
) -> Result<Element<'d>, ReadingError> {
    let mut findings = doc
        .elements()
        .filter(|element| element.name() == name && element.namespace() == NAMESPACE);
    let finding = findings.next().ok_or(ReadingError::Absent(name))?;
    match findings.next() {
        Some(_) => Err(ReadingError::Batch(name)),
        None => Ok(finding),
    }
}

/// The first child of that name in the namespace of NF-e.
pub(super) fn child<'d>(parent: Element<'d>, name: &str) -> Option<Element<'d>> {
    child_of(Family::Nfe, parent, name)
}

/// The first child of that name in the namespace of a family.
pub(super) fn child_of<'d>(family: Family, parent: Element<'d>, name: &str) -> Option<Element<'d>> {
    parent
        .children()
        .find(|element| element.name() == name && element.namespace() == family.namespace())
}

fn notices(nota: &Group<'_>, cut: bool) -> Vec<String> {
    let mut notices = Vec::new();
    match nota.text("layout") {
        Some("4.00") => {}
        Some(other) => notices.push(format!(
            "A nota é do leiaute {}, não do 4.00: campos que mudaram estão em outros.",
            other.chars().take(10).collect::<String>()
        )),
        None => notices.push("A nota não diz a versão do leiaute.".to_owned()),
    }
    if cut {
        notices.push(format!(
            "Há mais de {MAX_OTHERS} campos desconhecidos; os demais ficaram fora."
        ));
    }
    notices
}
