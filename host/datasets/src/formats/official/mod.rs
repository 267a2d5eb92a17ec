//! Official tables that take the place of the embedded ones of `data`: the files of
//! who publishes them, as lines with the columns of `host/data/tables`.

mod anp;
mod banks;
mod cbenef;
mod cest;
mod class_trib;
mod fields;
mod named;
mod ncm;
mod tipi;
mod units;

use super::{Columns, Item, Options, Sink, sheet, table};
use crate::ImportError;
use crate::files::xlsx::{MOST_BYTES, Workbook};
use crate::report::Report;
use data::versions;
use named::Named;
use std::io::{Cursor, Read};
use store::tables::editions::{CodeRow, DatasetKind};

/// The list of banks of the STR, of both that `bancos` reads.
pub const STR: &str = "str";
/// The list of participants of PIX.
pub const SPI: &str = "spi";
/// The units of the NCM, of both that `ncm` reads.
pub const UNITS: &str = "utrib";

/// Bytes that tell what a file is.
const PEEKED: u64 = 64;

/// Tables of `data` that an edition replaces, the first one first.
pub fn tables(kind: DatasetKind, scope: &str) -> &'static [&'static str] {
    match (kind, scope) {
        (DatasetKind::Ncm, UNITS) => &["utrib"],
        (DatasetKind::Ncm, _) => &["ncm"],
        (DatasetKind::Tipi, _) => &["tipi"],
        (DatasetKind::Cest, _) => &["cest"],
        (DatasetKind::Anp, _) => &["anp"],
        (DatasetKind::Cbenef, _) => &["cbenef"],
        (DatasetKind::ClassTrib, _) => &["cst_ibs_cbs", "class_trib"],
        (DatasetKind::Banks, SPI) => &["pix_participantes"],
        (DatasetKind::Banks, _) => &["bancos"],
        _ => &[],
    }
}

/// How many of the first columns of a table are its key.
pub(crate) fn key_columns(table: &str) -> usize {
    match table {
        "cbenef" | "tipi" => 2,
        _ => 1,
    }
}

/// Does this kind replace embedded tables?
pub fn is_official(kind: DatasetKind) -> bool {
    !tables(kind, "").is_empty()
}

/// What is built in, in the form of an edition: rows, and the day they show. None
/// where nothing is.
pub fn built_in(kind: DatasetKind, scope: &str) -> Option<(String, Vec<CodeRow>)> {
    let mut date = None;
    let mut rows = Vec::new();
    for table in tables(kind, scope) {
        let version = versions::embedded(table)?;
        date.get_or_insert(version.date.to_owned());
        for line in versions::embedded_rows(table) {
            let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
            if *table == "cbenef" && columns.first().is_none_or(|uf| uf != scope) {
                continue;
            }
            rows.push(code_row(table, &columns).ok()?);
        }
    }
    date.filter(|_| !rows.is_empty()).map(|date| (date, rows))
}

/// A line of a table as the row of an edition: its key behind the table's name, and
/// its columns.
fn code_row(table: &str, columns: &[String]) -> Result<CodeRow, String> {
    let key = columns.get(..key_columns(table)).unwrap_or_default();
    Ok(CodeRow {
        code: format!("{table}/{}", key.join("/")),
        content: serde_json::to_string(columns).map_err(|error| error.to_string())?,
    })
}

/// A line of a table that an import writes.
fn item(table: &str, columns: &[String]) -> Result<Item, String> {
    let CodeRow { code, content } = code_row(table, columns)?;
    Ok(Item::Code { code, content })
}

/// Reads a file of one of these kinds: a workbook, a csv, the JSON of the NCM.
pub(super) fn read(
    kind: DatasetKind,
    file: &str,
    bytes: &mut dyn Read,
    options: &Options,
    report: &mut Report,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let unreadable =
        |error: std::io::Error| ImportError::of(file, format!("cannot be read: {error}"));
    if let Some(date) = &options.date
        && base::when::parse_date(date).is_none()
    {
        return Err(ImportError::Refused(format!(
            "--date {date} is no day AAAA-MM-DD"
        )));
    }
    let mut begin = Vec::new();
    let read = Read::take(&mut *bytes, PEEKED).read_to_end(&mut begin);
    read.map_err(unreadable)?;
    let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&begin);
    let json = kind == DatasetKind::Ncm && text.trim_ascii_start().starts_with(b"{");
    if !json && !begin.starts_with(b"PK\x03\x04") {
        let mut whole = Cursor::new(begin).chain(bytes);
        let mut format = format(kind, options);
        return table::read(file, &mut whole, options, &mut *format, report, sink);
    }
    let mut whole = begin;
    let read = bytes.take(MOST_BYTES + 1).read_to_end(&mut whole);
    read.map_err(unreadable)?;
    if whole.len() as u64 > MOST_BYTES {
        return Err(ImportError::of(
            file,
            format!("more than {MOST_BYTES} bytes"),
        ));
    }
    if json {
        return ncm::read(file, &whole, options, report, sink);
    }
    let book = Workbook::open(whole).map_err(|why| ImportError::of(file, why))?;
    let mut format = format(kind, options);
    sheet::read(file, &book, options, &mut *format, report, sink)
}

fn format(kind: DatasetKind, options: &Options) -> Box<dyn Columns> {
    let day = options.date.as_ref().unwrap_or(&options.today);
    match kind {
        DatasetKind::Tipi => Box::new(Named::<tipi::Tipi>::new(day)),
        DatasetKind::Cest => Box::new(Named::<cest::Cest>::new(day)),
        DatasetKind::Anp => Box::new(Named::<anp::Anp>::new(day)),
        DatasetKind::Cbenef => Box::new(Named::<cbenef::Cbenef>::new(day)),
        DatasetKind::ClassTrib => Box::new(class_trib::Format::new(options)),
        DatasetKind::Banks => Box::new(banks::Format::new(day)),
        _ => Box::new(Named::<units::Units>::new(day)),
    }
}
