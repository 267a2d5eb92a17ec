//! Fiscal documents that an operation does not read, called by their names.

use base::errors::{Code, Refusal};
use fiscal::nfe::event::NAMESPACE;
use markup::xml::{Document, Element};

/// Documents by their namespace.
const KINDS: [(&str, &str); 6] = [
    ("http://www.portalfiscal.inf.br/cte", "CT-e"),
    ("http://www.portalfiscal.inf.br/mdfe", "MDF-e"),
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
        let kind = match element.namespace() == NAMESPACE {
            true => of_sefaz(element, doc),
            false => {
                KINDS
                    .iter()
                    .find(|(space, _)| *space == element.namespace())?
                    .1
            }
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

/// The same for what wants an NF-e or NFC-e; None for a note, and for what is no
/// fiscal document at all.
pub fn instead_of_a_note(doc: &Document<'_>) -> Option<Refusal> {
    let mut elements = doc.elements();
    let note =
        elements.any(|element| element.name() == "infNFe" && element.namespace() == NAMESPACE);
    if note {
        return None;
    }
    name(doc)?;
    Some(refusal(doc).hint("Envie o XML de uma NF-e ou NFC-e (NFe ou nfeProc)."))
}
