//! Bases of some million rows: companies of the federal registry, and streets.
//!
//! They are read as they come, in the two passes of every import, and never are
//! in memory: what repeats is found where it is written. Of the files only those
//! are read whose names say what is in them.

pub mod cnefe;
pub mod cnpj;
pub mod companies;
pub mod edne;
mod lines;
pub mod streets;
pub(crate) mod write;

use crate::ImportError;
use crate::files::{self, Files};
use crate::formats::Options;
use crate::progress::Progress;
use crate::report::Report;
use std::path::PathBuf;
use std::sync::Arc;
use store::tables::companies::{EstablishmentRow, RecordRow};
use store::tables::editions::{CodeRow, DatasetKind};
use store::tables::streets::StreetRow;

/// Whether this kind is one of them.
pub(crate) fn is_base(kind: DatasetKind) -> bool {
    match kind {
        DatasetKind::Cnpj | DatasetKind::Cnefe | DatasetKind::Edne => true,
        DatasetKind::Ibpt
        | DatasetKind::Mva
        | DatasetKind::Products
        | DatasetKind::OpenFoodFacts
        | DatasetKind::Ncm
        | DatasetKind::Tipi
        | DatasetKind::Cest
        | DatasetKind::Anp
        | DatasetKind::Cbenef
        | DatasetKind::ClassTrib
        | DatasetKind::Banks => false,
    }
}

/// The files of an import: of a folder those that the kind knows by their names.
///
/// # Errors
/// A folder cannot be read, or there is none of them.
pub(crate) fn paths(kind: DatasetKind, paths: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let wanted = |name: &str| match kind {
        DatasetKind::Cnpj => cnpj::Part::of(name, "").is_some(),
        DatasetKind::Edne => edne::File::of(name, "").is_some(),
        _ => name.to_ascii_lowercase().ends_with(".csv"),
    };
    let found = files::inside_folders(paths, &wanted)?;
    if found.is_empty() {
        return Err(ImportError::Refused(format!(
            "no file of {kind} is there; looked for: {}",
            names(kind)
        )));
    }
    Ok(found)
}

/// The files of a kind that are looked for in a folder.
fn names(kind: DatasetKind) -> String {
    match kind {
        DatasetKind::Cnpj => format!("*.zip; names that contain {}", cnpj::names()),
        DatasetKind::Edne => "*.zip, LOG_LOCALIDADE.TXT, LOG_BAIRRO.TXT, LOG_LOGRADOURO_<UF>.TXT, \
             LOG_GRANDE_USUARIO.TXT, LOG_UNID_OPER.TXT, LOG_CPC.TXT"
            .to_owned(),
        _ => "*.zip, *.csv".to_owned(),
    }
}

/// The name of a text: that inside of an archive, if it is in one.
fn named<'n>(file: &'n str, inside: &'n str) -> &'n str {
    match inside {
        "" => file,
        inside => inside,
    }
}

/// Where a line is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At {
    /// Its place among the names of [`Reading`].
    pub file: u32,
    pub line: u64,
}

/// A row of one of the tables.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    /// A code and its text.
    Code(CodeRow),
    Establishment(EstablishmentRow),
    Record(RecordRow),
    Street(StreetRow),
}

/// What takes the rows of a pass.
pub(crate) trait Take {
    /// Takes a row.
    ///
    /// # Errors
    /// Whoever writes has stopped.
    fn take(&mut self, at: At, row: Row) -> Result<(), ImportError>;

    /// The rows so far are written before those that follow.
    ///
    /// # Errors
    /// As [`Take::take`].
    fn settle(&mut self) -> Result<(), ImportError>;
}

/// A pass over the files.
pub(crate) struct Reading<'t> {
    pub options: &'t Options,
    pub take: &'t mut dyn Take,
    pub report: Report,
    /// Of the texts that were read.
    pub names: Vec<String>,
    /// As the files say; empty: they do not.
    pub version: String,
    /// Rows that count: establishments, or streets.
    pub rows: u64,
}

impl<'t> Reading<'t> {
    fn new(options: &'t Options, take: &'t mut dyn Take) -> Reading<'t> {
        Reading {
            options,
            take,
            report: Report::default(),
            names: Vec::new(),
            version: String::new(),
            rows: 0,
        }
    }

    /// Takes a row that counts.
    fn counted(&mut self, at: At, row: Row) -> Result<(), ImportError> {
        self.rows += 1;
        self.take.take(at, row)
    }

    /// The place of a text that begins.
    fn begin(&mut self, file: &str) -> u32 {
        self.names.push(file.to_owned());
        u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
    }
}

/// What a pass found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub report: Report,
    pub names: Vec<String>,
    pub version: String,
    pub rows: u64,
}

/// Reads all lines of the files.
///
/// # Errors
/// A file is missing, is not what this kind takes, or is cut short.
pub(crate) fn read(
    kind: DatasetKind,
    files: &Files,
    options: &Options,
    progress: &Arc<Progress>,
    take: &mut dyn Take,
) -> Result<Found, ImportError> {
    let mut reading = Reading::new(options, take);
    match kind {
        DatasetKind::Cnpj => cnpj::read(files, progress, &mut reading)?,
        DatasetKind::Cnefe => cnefe::read(files, progress, &mut reading)?,
        DatasetKind::Edne => edne::read(files, progress, &mut reading)?,
        _ => return Err(ImportError::Refused(format!("{kind} is no such base"))),
    }
    reading.take.settle()?;
    let version = match reading.version.as_str() {
        "" => options.today.clone(),
        version => version.to_owned(),
    };
    Ok(Found {
        report: reading.report,
        names: reading.names,
        version,
        rows: reading.rows,
    })
}
