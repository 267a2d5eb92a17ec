//! Workbooks of the layout that spreadsheet programs write, made for the tests.

use std::fmt::Write as _;

/// A cell of a sheet.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// A shared text.
    Text(&'a str),
    /// A text in the cell itself.
    Inline(&'a str),
    Number(&'a str),
    None,
}

/// A file of an archive, stored; `size` is what the directory says.
struct Stored {
    name: String,
    bytes: Vec<u8>,
    size: u32,
}

/// Sheets by name, as a workbook.
pub fn workbook(sheets: &[(&str, Vec<Vec<Cell<'_>>>)]) -> Vec<u8> {
    archive(&parts(sheets))
}

/// A workbook whose shared texts say that they are of another size.
pub fn with_size(sheets: &[(&str, Vec<Vec<Cell<'_>>>)], size: u32) -> Vec<u8> {
    let mut parts = parts(sheets);
    for part in &mut parts {
        if part.name == "xl/sharedStrings.xml" {
            part.size = size;
        }
    }
    archive(&parts)
}

fn parts(sheets: &[(&str, Vec<Vec<Cell<'_>>>)]) -> Vec<Stored> {
    let (mut book, mut relations) = (String::new(), String::new());
    let mut shared: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    for ((name, rows), number) in sheets.iter().zip(1..) {
        write!(
            book,
            "<sheet name=\"{}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>",
            escaped(name)
        )
        .expect("text");
        write!(relations, "<Relationship Id=\"rId{number}\" Type=\"worksheet\" Target=\"worksheets/sheet{number}.xml\"/>").expect("text");
        let mut data = String::new();
        for (cells, row) in rows.iter().zip(1..) {
            write!(data, "<row r=\"{row}\">").expect("text");
            for (cell, column) in cells.iter().zip(0_u32..) {
                let place = format!("{}{row}", letters(column));
                match cell {
                    Cell::Text(text) => {
                        shared.push(text);
                        write!(
                            data,
                            "<c r=\"{place}\" s=\"1\" t=\"s\"><v>{}</v></c>",
                            shared.len() - 1
                        )
                        .expect("text");
                    }
                    Cell::Inline(text) => write!(
                        data,
                        "<c r=\"{place}\" t=\"inlineStr\"><is><t>{}</t></is></c>",
                        escaped(text)
                    )
                    .expect("text"),
                    Cell::Number(number) => {
                        write!(data, "<c r=\"{place}\"><v>{number}</v></c>").expect("text")
                    }
                    Cell::None => {}
                }
            }
            data.push_str("</row>");
        }
        parts.push(stored(
            format!("xl/worksheets/sheet{number}.xml"),
            format!("<worksheet xmlns=\"m\"><sheetData>{data}</sheetData></worksheet>"),
        ));
    }
    let texts: String = shared
        .iter()
        .map(|text| {
            format!(
                "<si><r><t xml:space=\"preserve\">{}</t></r><rPh><t>x</t></rPh></si>",
                escaped(text)
            )
        })
        .collect();
    parts.push(stored(
        "xl/sharedStrings.xml".to_owned(),
        format!("<sst xmlns=\"m\">{texts}</sst>"),
    ));
    parts.push(stored(
        "xl/workbook.xml".to_owned(),
        format!("<workbook xmlns=\"m\" xmlns:r=\"r\"><sheets>{book}</sheets></workbook>"),
    ));
    parts.push(stored(
        "xl/_rels/workbook.xml.rels".to_owned(),
        format!("<Relationships>{relations}</Relationships>"),
    ));
    parts
}

fn stored(name: String, text: String) -> Stored {
    let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{text}");
    Stored {
        name,
        size: u32::try_from(text.len()).expect("short"),
        bytes: text.into_bytes(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

fn letters(column: u32) -> String {
    let letter = |number: u32| char::from_u32(u32::from('A') + number).expect("a letter");
    match column / 26 {
        0 => letter(column).to_string(),
        more => format!("{}{}", letter(more - 1), letter(column % 26)),
    }
}

/// A ZIP of stored files (APPNOTE 6.3 §4.3).
fn archive(files: &[Stored]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let mut crc = flate2::Crc::new();
        crc.update(&file.bytes);
        let packed = u32::try_from(file.bytes.len()).expect("short");
        let name = u16::try_from(file.name.len()).expect("short");
        let offset = u32::try_from(bytes.len()).expect("short");
        let mut common = Vec::new();
        for half in [20_u16, 0, 0, 0, 0] {
            common.extend_from_slice(&half.to_le_bytes());
        }
        for word in [crc.sum(), packed, file.size] {
            common.extend_from_slice(&word.to_le_bytes());
        }
        common.extend_from_slice(&name.to_le_bytes());
        common.extend_from_slice(&0_u16.to_le_bytes());
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&common);
        bytes.extend_from_slice(file.name.as_bytes());
        bytes.extend_from_slice(&file.bytes);
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(file.name.as_bytes());
    }
    let offset = u32::try_from(bytes.len()).expect("short");
    let size = u32::try_from(directory.len()).expect("short");
    let count = u16::try_from(files.len()).expect("few");
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&size.to_le_bytes());
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes
}
