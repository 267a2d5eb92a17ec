//! The table of documents the cargo goes with, two beside each other, over as
//! many pages as there are.

use super::DacteError;
use super::cte::Cte;
use super::pages::{MARGIN, Pages, WIDTH};
use super::words;
use crate::board::{Align, Area, INDENT, MM};
use crate::danfe::values::{join, nota_number};
use crate::element::Node;
use crate::pdf::font::Font;
use markup::format::document;

/// Documents that are laid out; a CT-e of 500 KB has some 4,000.
const MAX_DOCUMENTS: usize = 6_000;
const ROW: f32 = 9.0;
const HEAD: f32 = 9.0;
/// Width of kind and number; the key has the rest of its half.
const KIND: f32 = 15.0 * MM;
const NUMBER: f32 = 21.0 * MM;

/// One line of the table.
struct Entry {
    kind: String,
    /// Key, or issuer and description.
    whose: String,
    number: String,
}

/// Writes the table.
///
/// # Errors
/// There are more documents than are laid out.
pub(super) fn table(pages: &mut Pages<'_, '_>) -> Result<(), DacteError> {
    let entries = entries(pages.cte);
    if entries.len() > MAX_DOCUMENTS {
        return Err(DacteError::Long);
    }
    let complementary = pages.cte.ide.t("tpCTe") == "1";
    let title = match complementary {
        true => "CT-E COMPLEMENTADO",
        false => "DOCUMENTOS ORIGINÁRIOS",
    };
    pages.title(title, HEAD + ROW);
    let mut rest = entries.as_slice();
    loop {
        pages.reserve(HEAD + ROW);
        head(pages);
        let fit = ((pages.space() / ROW) as usize).max(1);
        let rows = rest.len().div_ceil(2).clamp(1, fit);
        let (here, after) = rest.split_at((2 * rows).min(rest.len()));
        let area = pages.area(rows as f32 * ROW);
        pages.board.frame(area);
        let middle = MARGIN + WIDTH / 2.0;
        pages
            .board
            .line((middle, area.y), (middle, area.bottom()), 0.5);
        for (at, entry) in here.iter().enumerate() {
            let x = if at % 2 == 0 { MARGIN } else { middle };
            let y = area.y + (at / 2) as f32 * ROW;
            row(
                pages,
                (x, y),
                [&entry.kind, &entry.whose, &entry.number],
                false,
            );
        }
        pages.y = area.bottom();
        rest = after;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

fn head(pages: &mut Pages<'_, '_>) {
    let half = WIDTH / 2.0;
    for x in [MARGIN, MARGIN + half] {
        let area = Area {
            x,
            width: half,
            ..pages.area(HEAD)
        };
        pages.board.frame(area);
        let names = [
            "TIPO DOC",
            "CHAVE, OU CNPJ/CPF EMITENTE",
            "SÉRIE/NRO. DOCUMENTO",
        ];
        row(pages, (x, area.y), names, true);
    }
    pages.y += HEAD;
}

fn row(pages: &mut Pages<'_, '_>, (x, y): (f32, f32), texts: [&str; 3], head: bool) {
    let half = WIDTH / 2.0;
    let widths = [KIND, half - KIND - NUMBER, NUMBER];
    let font = if head {
        (Font::Times, 6.0)
    } else {
        (Font::Times, 7.2)
    };
    let mut from = x;
    for (text, width) in texts.into_iter().zip(widths) {
        let bounds = (from + INDENT, from + width - 1.0);
        pages.board.fitted(bounds, y + 6.6, font, Align::Left, text);
        from += width;
    }
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

/// Series and number are in the key.
fn by_key(kind: &str, key: &str) -> Entry {
    let part = |from: usize, to: usize| key.get(from..to).unwrap_or_default();
    let number = match key.len() {
        44 => join([part(22, 25), &*nota_number(part(25, 34))], " / "),
        _ => String::new(),
    };
    Entry {
        kind: kind.to_owned(),
        whose: key.to_owned(),
        number,
    }
}
