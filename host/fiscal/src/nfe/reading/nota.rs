//! A note as it was read.

use serde::Serialize;
use thiserror::Error;

use crate::nfe::event::NAMESPACE;
use crate::nfe::fields;
use crate::nfe::reading::reader::{MAX_OUTROS, Reader};
use crate::nfe::reading::signature::Assinatura;
use crate::nfe::reading::value::{Grupo, Outro};
use markup::xml::{Document, Element, XmlError};

/// Why a document could not be read as a note. The texts are for the customer.
#[derive(Debug, Error)]
pub enum LeituraError {
    #[error("{}", .0.para_cliente())]
    Xml(#[from] XmlError),
    /// No element of that name in the namespace of NF-e.
    #[error("O documento não tem {0} no espaço de nomes da NF-e.")]
    Ausente(&'static str),
    #[error("O documento tem mais de um elemento {0}.")]
    Lote(&'static str),
}

/// A note of anybody, in the field names of the API. Written by serde: the
/// members of the note beside `fora_do_pedido`, `protocolo`, `assinatura`,
/// `outros`, `avisos`. Without these and [`fields::of_the_note_alone`] it is a
/// request ([`crate::nfe::order::Pedido`], and `serie` and `data_emissao` beside
/// it).
#[derive(Debug, Clone, Serialize)]
pub struct NotaLida<'d> {
    /// 44 positions as the `Id` has them, whatever they are.
    pub chave: &'d str,
    /// Everything of `infNFe` and `infNFeSupl`.
    #[serde(flatten)]
    pub nota: Grupo<'d>,
    /// What the note says of itself inside of groups that a request takes, and a
    /// request does not: the same paths, items by their `numero`.
    #[serde(skip_serializing_if = "Grupo::is_empty")]
    pub fora_do_pedido: Grupo<'d>,
    /// Of a `nfeProc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocolo: Option<Grupo<'d>>,
    /// Absent until asked for: see [`Assinatura::de`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assinatura: Option<Assinatura>,
    /// What the tables have no name for, by official path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outros: Vec<Outro<'d>>,
    /// What a reader should know, in pt-BR.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avisos: Vec<String>,
}

impl<'d> NotaLida<'d> {
    /// Text or number at a dotted path of names: `emitente.endereco.uf`.
    pub fn texto(&self, caminho: &str) -> Option<&str> {
        self.nota.texto(caminho)
    }

    /// `55` or `65`.
    pub fn modelo(&self) -> &str {
        self.texto("modelo").unwrap_or("")
    }

    pub fn itens(&self) -> impl Iterator<Item = &Grupo<'d>> {
        self.nota.lista("itens")
    }

    /// With what its signature says.
    #[must_use]
    pub fn com_assinatura(mut self, assinatura: Assinatura) -> NotaLida<'d> {
        self.assinatura = Some(assinatura);
        self
    }
}

/// Reads a note: `NFe` or `nfeProc`, prefixed or not, alone or inside of
/// something else (`enviNFe`, a SOAP envelope).
///
/// # Errors
/// There is no `NFe/infNFe` of the namespace of NF-e, or more than one.
pub fn ler<'d>(doc: &'d Document<'d>) -> Result<NotaLida<'d>, LeituraError> {
    let nfe = nota_de(doc)?;
    let inf = filho(nfe, "infNFe").ok_or(LeituraError::Ausente("infNFe"))?;
    let mut reader = Reader::new();
    let mut nota = Grupo::com_espaco(48);
    reader.read(inf, fields::INF_NFE, &mut nota);
    // Of NFe: the supplement and what does not belong here; not infNFe again.
    reader.read_rest(nfe, &["infNFe", "infNFeSupl"]);
    if let Some(supl) = filho(nfe, "infNFeSupl") {
        reader.read(supl, fields::INF_NFE_SUPL, &mut nota);
    }
    let mut protocolo = None;
    if let Some(proc) = nfe.parent().filter(|pai| pai.name() == "nfeProc") {
        reader.read_rest(proc, &["NFe", "protNFe", "@versao"]);
        if let Some(prot) = filho(proc, "protNFe") {
            let mut grupo = Grupo::com_espaco(12);
            reader.read(prot, fields::PROTOCOL, &mut grupo);
            protocolo = Some(grupo);
        }
    }
    let id = inf.attribute("Id").unwrap_or("");
    let avisos = avisos(&nota, reader.cut);
    Ok(NotaLida {
        chave: id.strip_prefix("NFe").unwrap_or(id),
        nota,
        fora_do_pedido: reader.apart,
        protocolo,
        assinatura: None,
        outros: reader.outros,
        avisos,
    })
}

/// The only `NFe` of a document.
pub(super) fn nota_de<'d>(doc: &'d Document<'d>) -> Result<Element<'d>, LeituraError> {
    unico(doc, "NFe")
}

/// The only element of that name in the namespace of NF-e.
pub(super) fn unico<'d>(
    doc: &'d Document<'d>,
    nome: &'static str,
) -> Result<Element<'d>, LeituraError> {
    let mut achados = doc
        .elements()
        .filter(|elemento| elemento.name() == nome && elemento.namespace() == NAMESPACE);
    let achado = achados.next().ok_or(LeituraError::Ausente(nome))?;
    match achados.next() {
        Some(_) => Err(LeituraError::Lote(nome)),
        None => Ok(achado),
    }
}

/// The first child of that name in the namespace of NF-e.
pub(super) fn filho<'d>(pai: Element<'d>, nome: &str) -> Option<Element<'d>> {
    pai.children()
        .find(|elemento| elemento.name() == nome && elemento.namespace() == NAMESPACE)
}

fn avisos(nota: &Grupo<'_>, cortado: bool) -> Vec<String> {
    let mut avisos = Vec::new();
    match nota.texto("layout") {
        Some("4.00") => {}
        Some(outro) => avisos.push(format!(
            "A nota é do leiaute {}, não do 4.00: campos que mudaram estão em outros.",
            outro.chars().take(10).collect::<String>()
        )),
        None => avisos.push("A nota não diz a versão do leiaute.".to_owned()),
    }
    if cortado {
        avisos.push(format!(
            "Há mais de {MAX_OUTROS} campos desconhecidos; os demais ficaram fora."
        ));
    }
    avisos
}
