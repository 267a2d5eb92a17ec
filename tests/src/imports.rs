//! Files of imported reference data, generated in the layouts of the official
//! ones.

use crate::TestApp;
use datasets::ImportError;
use datasets::formats::Options;
use datasets::import::{self, Order, Outcome};
use datasets::progress::Progress;
use flate2::Compression;
use flate2::write::GzEncoder;
use objects::zip::write::Zip;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use store::tables::editions::DatasetKind;
use time::OffsetDateTime;

/// The header of the IBPT's files.
pub const IBPT_HEADER: &str = "codigo;ex;tipo;descricao;nacionalfederal;importadosfederal;estadual;municipal;vigenciainicio;vigenciafim;chave;versao;fonte";

/// A row of the IBPT: code, exception, kind, rates (national, imported, state,
/// municipal).
pub type IbptRow<'a> = (&'a str, &'a str, &'a str, [&'a str; 4]);

/// A table of the IBPT in Latin-1; `until` is `DD/MM/AAAA`.
pub fn ibpt(version: &str, until: &str, rows: &[IbptRow<'_>]) -> Vec<u8> {
    let mut text = format!("{IBPT_HEADER}\r\n");
    for (code, ex, kind, [national, imported, state, municipal]) in rows {
        let line = format!(
            "{code};{ex};{kind};\"Descrição de {code}\";{national};{imported};{state};{municipal};01/01/2026;{until};A1B2C3;{version};IBPT/empresometro.com.br\r\n"
        );
        text.push_str(&line);
    }
    latin1(&text)
}

/// A text in Latin-1.
///
/// # Panics
/// It has other characters.
pub fn latin1(text: &str) -> Vec<u8> {
    let bytes = text
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"));
    bytes.collect()
}

/// A ZIP of files by name.
///
/// # Panics
/// It cannot be written.
pub fn zipped(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = Zip::new(Vec::new());
    for (name, bytes) in files {
        let added = zip.add(name, bytes, OffsetDateTime::UNIX_EPOCH);
        added.expect("written");
    }
    zip.finish().expect("a ZIP").to
}

/// Bytes under gzip.
///
/// # Panics
/// They cannot be written.
pub fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(bytes).expect("written");
    gz.finish().expect("gzip")
}

/// An EAN-13 of Brazil, made of a number.
///
/// # Panics
/// The number is too large.
pub fn ean(number: u32) -> String {
    let payload = format!("789{number:09}");
    let check = tools::barcode::check_digit(&payload).expect("a payload");
    format!("{payload}{check}")
}

/// A list of products: code, name, brand, NCM.
pub fn products(rows: &[(String, &str, &str, &str)]) -> Vec<u8> {
    let mut text = "gtin;nome;marca;ncm\n".to_owned();
    for (code, name, brand, ncm) in rows {
        writeln!(text, "{code};{name};{brand};{ncm}").expect("a line");
    }
    text.into_bytes()
}

/// The JSON of the Siscomex: the codes that answer now without one, and more codes in
/// force. `day` is `DD/MM/AAAA`.
pub fn ncm(day: &str, without: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let date = |date: Option<time::Date>, none: &str| match date {
        Some(date) => format!(
            "{:02}/{:02}/{}",
            date.day(),
            u8::from(date.month()),
            date.year()
        ),
        None => none.to_owned(),
    };
    let entry = |code: &str, text: &str, from: String, until: String| {
        serde_json::json!({
            "Codigo": code, "Descricao": text, "Data_Inicio": from, "Data_Fim": until,
            "Tipo_Ato_Ini": "Res Gecex", "Numero_Ato_Ini": "999", "Ano_Ato_Ini": "2026"
        })
    };
    let kept = data::ncm::all().iter().filter(|row| row.codigo != without);
    let mut codes: Vec<serde_json::Value> = kept
        .map(|row| {
            let from = date(row.validity.start, "01/04/2022");
            let until = date(row.validity.end, "31/12/9999");
            entry(row.codigo, row.description, from, until)
        })
        .collect();
    let more = more.iter().map(|(code, text)| {
        let (from, until) = ("01/11/2026".to_owned(), "31/12/9999".to_owned());
        entry(code, text, from, until)
    });
    codes.extend(more);
    let document = serde_json::json!({
        "Data_Ultima_Atualizacao_NCM": format!("Vigente em {day}"),
        "Ato": "Resolução Gecex nº 999/2026",
        "Nomenclaturas": codes
    });
    document.to_string().into_bytes()
}

/// A workbook with sheets of texts; an empty text is no cell.
///
/// # Panics
/// It cannot be written.
pub fn workbook(sheets: &[(&str, Vec<Vec<&str>>)]) -> Vec<u8> {
    let (mut book, mut relations, mut files) = (String::new(), String::new(), Vec::new());
    for ((name, rows), number) in sheets.iter().zip(1..) {
        write!(
            book,
            "<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"r{number}\"/>"
        )
        .expect("text");
        write!(
            relations,
            "<Relationship Id=\"r{number}\" Target=\"worksheets/sheet{number}.xml\"/>"
        )
        .expect("text");
        let mut data = String::new();
        for (cells, row) in rows.iter().zip(1..) {
            write!(data, "<row r=\"{row}\">").expect("text");
            for (text, column) in cells.iter().zip(b'A'..=b'Z') {
                let column = char::from(column);
                let text = text.replace('&', "&amp;").replace('<', "&lt;");
                if !text.is_empty() {
                    write!(
                        data,
                        "<c r=\"{column}{row}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"
                    )
                    .expect("text");
                }
            }
            data.push_str("</row>");
        }
        files.push((
            format!("xl/worksheets/sheet{number}.xml"),
            format!("<worksheet><sheetData>{data}</sheetData></worksheet>"),
        ));
    }
    files.push((
        "xl/workbook.xml".to_owned(),
        format!("<workbook xmlns:r=\"r\"><sheets>{book}</sheets></workbook>"),
    ));
    files.push((
        "xl/_rels/workbook.xml.rels".to_owned(),
        format!("<Relationships>{relations}</Relationships>"),
    ));
    let files: Vec<(&str, Vec<u8>)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.clone().into_bytes()))
        .collect();
    zipped(&files)
}

/// Imports a file as `hub data import` does.
///
/// # Errors
/// As the import.
///
/// # Panics
/// The file cannot be written.
pub async fn import(
    app: &TestApp,
    kind: DatasetKind,
    name: &str,
    bytes: &[u8],
) -> Result<Outcome, ImportError> {
    import_with(app, kind, name, bytes, Options::default(), false).await
}

/// As [`import`], with options.
///
/// # Errors
/// As the import.
///
/// # Panics
/// The file cannot be written.
pub async fn import_with(
    app: &TestApp,
    kind: DatasetKind,
    name: &str,
    bytes: &[u8],
    options: Options,
    dry_run: bool,
) -> Result<Outcome, ImportError> {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let today = base::when::today(app.app.now_ms(), "DF").to_string();
    let order = Order {
        kind,
        paths: vec![path],
        options: Options { today, ..options },
        dry_run,
    };
    let progress = Arc::new(Progress::default());
    import::run(&app.app.db, &app.app.clock, &order, &progress).await
}
