//! Fiscal documents that an operation does not read, called by their names.

use base::errors::{Code, Refusal};
use fiscal::nfe::event::{Family, NAMESPACE};
use markup::xml::{Document, Element};
use std::fmt::Display;

/// What to send instead.
const ACCEPTED: &str = "Envie o XML de uma NF-e ou NFC-e (NFe ou nfeProc), de um CT-e (CTe ou cteProc) ou de um MDF-e (MDFe ou mdfeProc).";

/// Documents by their namespace.
const KINDS: [(&str, &str); 4] = [
    ("http://www.portalfiscal.inf.br/bpe", "BP-e"),
    ("http://www.portalfiscal.inf.br/nf3e", "NF3e"),
    ("http://www.portalfiscal.inf.br/nfcom", "NFCom"),
    (
        "http://www.abrasf.org.br/nfse.xsd",
        "NFS-e no leiaute municipal ABRASF",
    ),
];

/// What a document is, where it is a fiscal one: `de CT-e (elemento cteProc)`.
fn name(doc: &Document<'_>) -> Option<String> {
    doc.elements().find_map(|element| {
        let of = |family: Family| element.namespace() == family.namespace();
        let kind = if of(Family::Nfe) {
            of_sefaz(element, doc)
        } else if of(Family::Cte) {
            of_cte(doc)
        } else if of(Family::Mdfe) {
            of_mdfe(doc)
        } else {
            let mut kinds = KINDS.iter();
            kinds.find(|(space, _)| *space == element.namespace())?.1
        };
        Some(format!("de {kind} (elemento {})", element.name()))
    })
}

/// What it is in the namespace of the NF-e.
fn of_sefaz(first: Element<'_>, doc: &Document<'_>) -> &'static str {
    let has = |name: &str| {
        let mut elements = doc.elements();
        elements.any(|element| element.name() == name && element.namespace() == NAMESPACE)
    };
    if has("evento") || first.name() == "retEvento" {
        "evento da NF-e"
    } else if has("inutNFe") {
        "inutilização de números da NF-e"
    } else {
        "mensagem da NF-e que não é nota, evento nem inutilização"
    }
}

/// The first kind of a list that the document has an element of.
fn first(doc: &Document<'_>, kinds: &[(&str, &'static str)], other: &'static str) -> &'static str {
    let has = |name: &str| doc.elements().any(|element| element.name() == name);
    let found = kinds.iter().find(|(name, _)| has(name));
    found.map_or(other, |(_, kind)| *kind)
}

/// What it is in the namespace of the CT-e, which other documents share.
fn of_cte(doc: &Document<'_>) -> &'static str {
    let kinds = [
        ("CTe", "CT-e"),
        ("CTeOS", "CT-e OS"),
        ("CTeSimp", "CT-e simplificado"),
        ("GTVe", "GTV-e"),
        ("eventoCTe", "evento de CT-e"),
        ("retEventoCTe", "evento de CT-e"),
    ];
    first(
        doc,
        &kinds,
        "mensagem do CT-e que não é documento nem evento",
    )
}

/// What it is in the namespace of the MDF-e.
fn of_mdfe(doc: &Document<'_>) -> &'static str {
    let kinds = [
        ("MDFe", "MDF-e"),
        ("eventoMDFe", "evento de MDF-e"),
        ("retEventoMDFe", "evento de MDF-e"),
    ];
    first(
        doc,
        &kinds,
        "mensagem do MDF-e que não é documento nem evento",
    )
}

/// Says what a document is that the operation does not read.
pub fn refusal(doc: &Document<'_>) -> Refusal {
    let message = match name(doc) {
        Some(name) => format!("O XML é {name}."),
        None => format!(
            "O XML não é de um documento fiscal conhecido (elemento {}).",
            doc.root().name().chars().take(40).collect::<String>()
        ),
    };
    Refusal::new(Code::DocumentoNaoSuportado).message(message)
}

/// The same for what reads a note, a CT-e or an MDF-e; None for a note, and for
/// what is no fiscal document at all.
pub fn instead_of_a_note(doc: &Document<'_>) -> Option<Refusal> {
    let mut elements = doc.elements();
    let note =
        elements.any(|element| element.name() == "infNFe" && element.namespace() == NAMESPACE);
    if note {
        return None;
    }
    name(doc)?;
    Some(refusal(doc).hint(ACCEPTED))
}

/// An XML that is not one document that could be read, and why.
pub fn unread(why: impl Display) -> Refusal {
    Refusal::new(Code::XmlMalformado)
        .message(why.to_string())
        .hint(ACCEPTED)
}
