//! Documents the cargo goes with.

use super::cte::Cte;
use super::words;
use super::{DacteError, Pages};
use crate::danfe::values::join;
use crate::element::Node;
use crate::freight::{self, Entry, MAX_DOCUMENTS, by_key};
use markup::format::document;

const CAPTIONS: [&str; 3] = [
    "TIPO DOC",
    "CHAVE, OU CNPJ/CPF EMITENTE",
    "SÉRIE/NRO. DOCUMENTO",
];

/// Writes the table.
///
/// # Errors
/// There are more documents than are laid out.
pub(super) fn table(pages: &mut Pages<'_, '_>) -> Result<(), DacteError> {
    let entries = entries(pages.document);
    if entries.len() > MAX_DOCUMENTS {
        return Err(DacteError::Long);
    }
    let complementary = pages.document.ide.t("tpCTe") == "1";
    let title = match complementary {
        true => "CT-E COMPLEMENTADO",
        false => "DOCUMENTOS ORIGINÁRIOS",
    };
    freight::table(pages, title, CAPTIONS, &entries);
    Ok(())
}

fn entries(cte: &Cte<'_>) -> Vec<Entry> {
    let normal = cte.normal;
    let documents = normal.node("infDoc");
    let mut found = Vec::new();
    for note in documents.all("infNFe") {
        found.push(by_key("NF-e", &note.t("chave")));
    }
    let sender = cte.inf.node("rem").one_of(&["CNPJ", "CPF"]);
    for note in documents.all("infNF") {
        found.push(Entry {
            kind: format!("NF mod. {}", note.t("mod")),
            whose: document(&sender),
            number: numbered(note),
        });
    }
    for other in documents.all("infOutros") {
        found.push(Entry {
            kind: words::other_document(&other.t("tpDoc")).to_owned(),
            whose: other.t("descOutros").into_owned(),
            number: other.t("nDoc").into_owned(),
        });
    }
    for declaration in documents.all("infDCe") {
        found.push(by_key("DC-e", &declaration.t("chave")));
    }
    for complemented in cte.inf.all("infCteComp") {
        found.push(by_key("CT-e", &complemented.one_of(&["chCTe", "chave"])));
    }
    for emitter in normal.node("docAnt").all("emiDocAnt") {
        earlier(emitter, &mut found);
    }
    for linked in normal.node("infServVinc").all("infCTeMultimodal") {
        found.push(by_key("CT-e MULT.", &linked.t("chCTeMultimodal")));
    }
    found
}

/// Documents of an earlier transport.
fn earlier(emitter: Node<'_>, found: &mut Vec<Entry>) {
    let whose = join(
        [
            &*document(&emitter.one_of(&["CNPJ", "CPF"])),
            &*emitter.t("xNome"),
        ],
        " ",
    );
    for group in emitter.all("idDocAnt") {
        for paper in group.all("idDocAntPap") {
            found.push(Entry {
                kind: words::paper(&paper.t("tpDoc")).to_owned(),
                whose: whose.clone(),
                number: numbered(paper),
            });
        }
        for electronic in group.all("idDocAntEle") {
            found.push(by_key("CT-e ANT.", &electronic.one_of(&["chCTe", "chave"])));
        }
    }
}

fn numbered(document: Node<'_>) -> String {
    join([&*document.t("serie"), &*document.t("nDoc")], " / ")
}
