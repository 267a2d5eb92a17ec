//! Answers in XML, with or without SOAP around: the documents have the names
//! of the layout, what stands around them is named by each city.

use super::{Answer, MAX_MESSAGES, cut};
use sdk::Mensagem;
use sdk::soap;
use sdk::xml::{self, Document, Element, Inherited};

/// Elements one of which makes this an answer.
const KNOWN: [&str; 8] = [
    "NFSe",
    "evento",
    "chaveAcesso",
    "ChaveAcesso",
    "protocolo",
    "Protocolo",
    "codigo",
    "Codigo",
];
/// What an explicit no says about itself, where it has no coded messages.
const FAILED: [&str; 2] = ["erro", "rejeitad"];
/// "All is well" among the messages (ABRASF): no error.
const FINE: &str = "L000";

/// Reads an answer. None: not XML, a fault, or nothing known in it.
pub fn read(body: &[u8]) -> Option<Answer> {
    let document = soap::unwrap(body, &KNOWN).ok()?;
    let root = document.root();
    let (alerts, mut errors): (Vec<_>, Vec<_>) = messages(root)
        .into_iter()
        .partition(|message| message.codigo.contains(FINE));
    if errors.is_empty() {
        errors.extend(said_to_have_failed(root));
    }
    let documento = ["NFSe", "evento"]
        .iter()
        .find_map(|name| root.descendant(name))
        .filter(|found| found.child("infNFSe").is_some() || found.child("infEvento").is_some())
        .map(|found| standalone(&document, found));
    Some(Answer {
        chave: first(root, &["chaveAcesso", "ChaveAcesso"]),
        id_dps: first(root, &["idDps", "IdDps", "idDPS"]),
        documento,
        protocol: first(root, &["protocolo", "Protocolo"]),
        errors,
        alerts,
        explicit: true,
        empty: false,
    })
}

fn standalone(document: &Document, element: &Element) -> Vec<u8> {
    xml::standalone(document, element, Inherited::Used).into_bytes()
}

fn first(root: &Element, names: &[&str]) -> Option<String> {
    names
        .iter()
        .filter_map(|name| root.descendant(name))
        .map(|element| element.text().trim().to_owned())
        .find(|text| !text.is_empty())
}

/// Coded messages, wherever they are.
fn messages(root: &Element) -> Vec<Mensagem> {
    ["codigo", "Codigo"]
        .iter()
        .flat_map(|code| holders(root, code))
        .filter_map(message)
        .take(MAX_MESSAGES)
        .collect()
}

/// Elements with a child of this name.
fn holders<'a>(element: &'a Element, child: &str) -> Vec<&'a Element> {
    let mut found: Vec<&Element> = element.child(child).map(|_| element).into_iter().collect();
    for inner in element.children() {
        found.extend(holders(inner, child));
    }
    found
}

fn message(element: &Element) -> Option<Mensagem> {
    let text = |names: &[&str]| {
        names
            .iter()
            .filter_map(|name| element.text_at(name))
            .find(|text| !text.trim().is_empty())
            .map(cut)
    };
    let codigo = text(&["codigo", "Codigo"])?;
    let said = text(&["mensagem", "Mensagem", "descricao", "Descricao"])?;
    Some(Mensagem {
        codigo,
        texto: said,
        correcao: text(&["correcao", "Correcao", "complemento", "Complemento"]),
        campo: None,
    })
}

/// A status that says "failed" beside the reason in words.
fn said_to_have_failed(root: &Element) -> Option<Mensagem> {
    let status = first(
        root,
        &["statusProcessamento", "StatusProcessamento", "status"],
    )?;
    let status = status.to_lowercase();
    let failed = FAILED.iter().any(|word| status.contains(word));
    let reason = first(root, &["mensagemErro", "MensagemErro"])?;
    failed.then(|| Mensagem::new("", &cut(&reason)))
}
