//! The first sheet that was made of an XLSX file (`sheet1.xml`, ECMA-376): its cells as text. Only what
//! spreadsheets write for plain values is read: no formulas, no styles. And a file of one sheet
//! whose cells are all text, so that codes keep the zeros they begin with.

use crate::zip::read;
use crate::zip::write::Zip;
use markup::xml::{Document, Element, escape_attribute};
use std::borrow::Cow;
use std::io;
use time::OffsetDateTime;

/// Most bytes of a part once it is unpacked.
const PART_BYTES: usize = 8 * 1_048_576;
/// Most cells of a line, so that a far column makes no wide line.
const CELLS: usize = 100;
/// Most lines that are read.
const LINES: usize = 2_000;
/// Most bytes of text in all cells together: many cells may have the same shared text,
/// which the file has once.
const TEXT_BYTES: usize = 8 * 1_048_576;

/// The lines of the first sheet.
///
/// # Errors
/// Why it cannot be read, for people.
pub fn lines(archive: &[u8]) -> Result<Vec<Vec<String>>, String> {
    let unreadable = || "A planilha não pôde ser lida. Salve como CSV e envie de novo.".to_owned();
    let part = |name: &str| {
        let bytes = read::limited(archive, name, PART_BYTES)?;
        String::from_utf8(bytes).ok()
    };
    let sheet = part("xl/worksheets/sheet1.xml").ok_or_else(unreadable)?;
    let shared = part("xl/sharedStrings.xml").unwrap_or_default();
    let texts = if shared.is_empty() {
        Vec::new()
    } else {
        let document = Document::parse(&shared).map_err(|_| unreadable())?;
        texts(&document)
    };
    let document = Document::parse(&sheet).map_err(|_| unreadable())?;
    rows(&document, &texts).ok_or_else(|| {
        "A planilha tem texto demais. Retire as colunas que não são das notas e envie de novo."
            .to_owned()
    })
}

/// The shared texts, in their order.
fn texts(document: &Document<'_>) -> Vec<String> {
    let entries = document.elements().filter(|element| element.name() == "si");
    entries.map(text_of).collect()
}

/// All text of an entry; its readings in other scripts left out.
fn text_of(entry: Element<'_>) -> String {
    let mut text = String::new();
    for child in entry.children() {
        match child.name() {
            "t" => text.push_str(&child.text()),
            "r" => text.push_str(&text_of(child)),
            _ => {}
        }
    }
    text
}

/// The cells; None where their text is too much.
fn rows(document: &Document<'_>, texts: &[String]) -> Option<Vec<Vec<String>>> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut left = TEXT_BYTES;
    let rows = document
        .elements()
        .filter(|element| element.name() == "row");
    for row in rows.take(LINES) {
        // Empty rows are not written: the number says where it stands.
        let number = row
            .attribute("r")
            .and_then(|number| number.parse::<usize>().ok());
        let number = number.unwrap_or(lines.len() + 1).min(LINES);
        while lines.len() + 1 < number {
            lines.push(Vec::new());
        }
        let mut line: Vec<String> = Vec::new();
        for cell in row.children().filter(|child| child.name() == "c") {
            let place = cell.attribute("r").and_then(column);
            let place = place.unwrap_or(line.len());
            if place >= CELLS {
                continue;
            }
            if line.len() <= place {
                line.resize(place + 1, String::new());
            }
            let value = value(cell, texts);
            left = left.checked_sub(value.len())?;
            line[place] = value.into_owned();
        }
        lines.push(line);
    }
    Some(lines)
}

/// `C7` stands in the third column: 2.
fn column(reference: &str) -> Option<usize> {
    let letters: Vec<u8> = reference
        .bytes()
        .take_while(u8::is_ascii_uppercase)
        .collect();
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let number = letters.iter().fold(0_usize, |number, letter| {
        number * 26 + usize::from(letter - b'A') + 1
    });
    Some(number - 1)
}

fn value<'t>(cell: Element<'_>, texts: &'t [String]) -> Cow<'t, str> {
    let child = |name: &str| cell.children().find(|child| child.name() == name);
    let plain = || {
        child("v")
            .map(|value| value.text().to_string())
            .unwrap_or_default()
    };
    match cell.attribute("t") {
        Some("s") => {
            let at = plain().trim().parse::<usize>().ok();
            Cow::Borrowed(at.and_then(|at| texts.get(at)).map_or("", String::as_str))
        }
        Some("inlineStr") => Cow::Owned(child("is").map(text_of).unwrap_or_default()),
        Some("str" | "e" | "b") => Cow::Owned(plain()),
        _ => Cow::Owned(number(&plain())),
    }
}

/// A number as people write it: spreadsheets keep 18,9 as `18.9`, and long ones
/// as `1.2345678000195E13`.
fn number(text: &str) -> String {
    let text = text.trim();
    let parsed = text
        .parse::<rust_decimal::Decimal>()
        .or_else(|_| rust_decimal::Decimal::from_scientific(text));
    match parsed {
        // What a double cannot hold exactly stands behind the tenth place.
        Ok(number) => number
            .round_dp(10)
            .normalize()
            .to_string()
            .replace('.', ","),
        Err(_) => text.to_owned(),
    }
}

const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#;
const PACKAGE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Notas" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const PARTS: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
/// The second style is that of text (number format 49), the third the same in bold.
const STYLE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>"#;
const SHEET: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">"#;

/// A file with these lines; the first has the titles.
///
/// # Errors
/// It is too large for a ZIP.
pub fn written(lines: &[Vec<String>]) -> io::Result<Vec<u8>> {
    let sheet = sheet(lines);
    let mut zip = Zip::new(Vec::new());
    for (name, part) in [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", PACKAGE),
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", PARTS),
        ("xl/styles.xml", STYLE),
        ("xl/worksheets/sheet1.xml", sheet.as_str()),
    ] {
        zip.add(name, part.as_bytes(), OffsetDateTime::UNIX_EPOCH)?;
    }
    Ok(zip.finish()?.to)
}

fn sheet(lines: &[Vec<String>]) -> String {
    let width = lines.iter().map(Vec::len).max().unwrap_or(1);
    let mut xml = SHEET.to_owned();
    // What is written into these columns later is text, too.
    xml.push_str(&format!(
        "<cols><col min=\"1\" max=\"{width}\" width=\"20\" style=\"1\" customWidth=\"1\"/></cols><sheetData>"
    ));
    for (line, at) in lines.iter().zip(0_usize..) {
        let style = if at == 0 { 2 } else { 1 };
        xml.push_str("<row>");
        for cell in line {
            xml.push_str(&format!("<c s=\"{style}\" t=\"inlineStr\"><is><t>"));
            escape_attribute(&mut xml, cell);
            xml.push_str("</t></is></c>");
        }
        xml.push_str("</row>");
    }
    xml.push_str("</sheetData></worksheet>");
    xml
}
