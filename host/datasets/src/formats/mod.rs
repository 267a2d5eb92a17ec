//! Formats of official files and of the operator's own: which header they have
//! and what a line says.

pub mod ibpt;
pub mod mva;
pub mod official;
mod openfoodfacts;
mod products;
mod sheet;
pub mod sources;
mod table;

use crate::ImportError;
use crate::catalog::product::Product;
use crate::files::Files;
use crate::progress::Progress;
use crate::report::Report;
use std::io::{BufRead as _, BufReader, Read};
use std::sync::Arc;
use store::tables::editions::DatasetKind;

/// What a line becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A row of a table of codes: its key and its JSON.
    Code { code: String, content: String },
    /// A product and its GTIN-14 as a number.
    Product { gtin: i64, product: Box<Product> },
    /// Kept by the format until the whole file was read.
    Gathered,
    /// Left out on purpose.
    Skipped,
}

/// What the lines of one edition said of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The state of a table of one state, or which list of its kind it is; empty
    /// otherwise.
    pub scope: String,
    pub version: String,
    /// `AAAA-MM-DD`, or empty.
    pub valid_until: String,
}

/// What an operator says besides the files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The state of a file whose name does not say it; of the companies' base, the
    /// states that are kept, with commas.
    pub uf: Option<String>,
    /// Keeps active establishments alone.
    pub only_active: bool,
    /// The day of the import, `AAAA-MM-DD`: the version of files that have none.
    pub today: String,
    /// The day an official table shows, `AAAA-MM-DD`, of a file that does not say it.
    pub date: Option<String>,
    /// Takes an edition with less than half of the rows of the active one; of an
    /// official table, with less than nine tenths.
    pub fewer: bool,
    /// Takes an official table that is older than the active edition.
    pub older: bool,
}

/// A format with a line of column names.
trait Columns {
    /// Is this the line of column names? Above it may stand titles.
    fn is_header(&self, _names: &[String]) -> bool {
        true
    }
    /// Does something else begin here, of which nothing is read?
    fn is_over(&self, _fields: &[&str]) -> bool {
        false
    }
    /// Judges the header; the state of the table, or empty.
    fn header(
        &mut self,
        file: &str,
        header: &[String],
        options: &Options,
    ) -> Result<String, ImportError>;
    /// What a line says; the sentence why it is wrong.
    fn row(&mut self, fields: &[&str]) -> Result<Item, String>;
    /// Rows that are made of several lines, once all of them were read.
    ///
    /// # Errors
    /// They cannot be stored.
    fn gathered(&mut self) -> Result<Vec<Item>, String> {
        Ok(Vec::new())
    }
    /// What the lines of this file said of the edition.
    fn label(&mut self) -> Label;
}

/// What an import takes a line for, and an edition.
pub(crate) trait Sink {
    /// Another edition begins; its state, or empty.
    fn begin(&mut self, file: &str, scope: &str) -> Result<(), ImportError>;
    /// A line that says something; the sentence why it does not count.
    fn item(&mut self, item: Item) -> Result<(), String>;
    /// Takes what the edition is called.
    fn end(&mut self, label: Label) -> Result<(), ImportError>;
}

/// Reads all lines of the files.
///
/// # Errors
/// A file is not what this kind takes, or is cut short.
pub(crate) fn read(
    kind: DatasetKind,
    files: &Files,
    options: &Options,
    progress: &Arc<Progress>,
    sink: &mut dyn Sink,
) -> Result<Report, ImportError> {
    let mut report = Report::default();
    files.each(progress, &mut |file, bytes| match kind {
        DatasetKind::Ibpt => {
            let mut format = ibpt::Format::default();
            table::read(file, bytes, options, &mut format, &mut report, sink)
        }
        DatasetKind::Mva => {
            let mut format = mva::Format::new(&options.today);
            table::read(file, bytes, options, &mut format, &mut report, sink)
        }
        DatasetKind::Products => {
            let mut format = products::Format::new(&options.today);
            table::read(file, bytes, options, &mut format, &mut report, sink)
        }
        DatasetKind::OpenFoodFacts => lines(file, bytes, options, &mut report, sink),
        DatasetKind::Ncm
        | DatasetKind::Tipi
        | DatasetKind::Cest
        | DatasetKind::Anp
        | DatasetKind::Cbenef
        | DatasetKind::ClassTrib
        | DatasetKind::Banks => official::read(kind, file, bytes, options, &mut report, sink),
        DatasetKind::Cnpj | DatasetKind::Cnefe | DatasetKind::Edne => {
            Err(ImportError::of(file, "is part of a base"))
        }
    })?;
    Ok(report)
}

/// Bytes of the longest line of JSON: products of Open Food Facts have some hundred
/// thousand.
const MOST_LINE: u64 = 16 << 20;

/// A file of JSON lines.
fn lines(
    file: &str,
    bytes: &mut dyn Read,
    options: &Options,
    report: &mut Report,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    sink.begin(file, "")?;
    let mut bytes = BufReader::with_capacity(1 << 16, bytes);
    let (mut line, mut number) = (Vec::new(), 0_u64);
    let mut good = 0_u64;
    loop {
        line.clear();
        let read = (&mut bytes)
            .take(MOST_LINE + 1)
            .read_until(b'\n', &mut line);
        let read = read.map_err(|error| ImportError::of(file, format!("ends early: {error}")))?;
        if line.len() as u64 > MOST_LINE {
            return Err(ImportError::of(
                file,
                format!("line {} has more than {MOST_LINE} bytes", number + 1),
            ));
        }
        if read == 0 {
            break;
        }
        number += 1;
        let whole = line.ends_with(b"\n");
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        report.lines += 1;
        match openfoodfacts::row(text) {
            Ok(Item::Skipped) => {
                good += 1;
                report.skipped += 1;
            }
            Ok(item) => {
                good += 1;
                if let Err(reason) = sink.item(item) {
                    report.problem(file, number, reason);
                }
            }
            Err(_) if !whole => {
                return Err(ImportError::of(
                    file,
                    format!("ends in the middle of line {number}"),
                ));
            }
            Err(reason) => report.problem(file, number, reason),
        }
        // Something else than JSON lines is told at once, not after gigabytes.
        if number == 100 && good == 0 {
            return Err(ImportError::of(
                file,
                "no lines of JSON: is it the jsonl.gz of Open Food Facts?",
            ));
        }
    }
    sink.end(Label {
        version: options.today.clone(),
        ..Label::default()
    })
}
