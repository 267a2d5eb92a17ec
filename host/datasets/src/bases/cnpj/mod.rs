//! Open data of the CNPJ, which the Receita Federal publishes each month: zips
//! with one text each, in Latin-1, with `;`, quotes and no names of columns.

pub mod layout;

use super::lines::{Layout, Line, Shape, expected, read as read_lines};
use super::{Reading, Row};
use crate::ImportError;
use crate::files::Files;
use crate::formats::Options;
use crate::progress::Progress;
use layout::{Choices, Establishment, Partner, Registration};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use store::tables::companies::{EstablishmentRow, RecordRow};
use store::tables::editions::CodeRow;

const SHAPE: Shape = Shape {
    delimiter: b';',
    quoted: true,
};

/// What is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Codes and their texts, under what begins their keys.
    Codes(&'static str),
    Establishments,
    Companies,
    Simples,
    Partners,
}

/// Keys of the codes begin so.
pub const REASON: &str = "motivo/";
pub const NATURE: &str = "natureza/";
pub const ROLE: &str = "qualificacao/";
pub const CITY: &str = "municipio/";
pub const COUNTRY: &str = "pais/";
pub const ACTIVITY: &str = "cnae/";

/// Parts of the names of the zips, of the texts in them, and what they have. The
/// texts are called `K3241.K03200Y0.D51108.ESTABELE`.
const NAMES: [(&str, Part); 16] = [
    ("ESTABELE", Part::Establishments),
    ("EMPRECSV", Part::Companies),
    ("EMPRESAS", Part::Companies),
    ("SOCIO", Part::Partners),
    ("SIMPLES", Part::Simples),
    ("CNAECSV", Part::Codes(ACTIVITY)),
    ("CNAES", Part::Codes(ACTIVITY)),
    ("MOTICSV", Part::Codes(REASON)),
    ("MOTIVOS", Part::Codes(REASON)),
    ("MUNICCSV", Part::Codes(CITY)),
    ("MUNICIPIOS", Part::Codes(CITY)),
    ("NATJUCSV", Part::Codes(NATURE)),
    ("NATUREZAS", Part::Codes(NATURE)),
    ("PAIS", Part::Codes(COUNTRY)),
    ("QUALSCSV", Part::Codes(ROLE)),
    ("QUALIFICACOES", Part::Codes(ROLE)),
];

/// The words by which files are known.
pub(super) fn names() -> String {
    NAMES.map(|(word, _)| word).join(", ")
}

impl Part {
    /// By the name of the file, else by that inside of the archive.
    pub fn of(file: &str, inside: &str) -> Option<Part> {
        let find = |name: &str| {
            let name = name.to_uppercase();
            let found = NAMES.iter().find(|(part, _)| name.contains(part));
            found.map(|(_, part)| *part)
        };
        find(file).or_else(|| find(inside))
    }

    /// Columns of a line.
    fn columns(self) -> usize {
        match self {
            Part::Codes(_) => 2,
            Part::Establishments => 30,
            Part::Companies | Part::Simples => 7,
            Part::Partners => 11,
        }
    }
}

/// Reads the files: establishments before companies, because a company is kept
/// when one of its establishments is.
pub(super) fn read(
    files: &Files,
    progress: &Arc<Progress>,
    reading: &mut Reading<'_>,
) -> Result<(), ImportError> {
    let states = states(reading.options)?;
    type Wanted = fn(Part) -> bool;
    let phases: [(Wanted, &str); 5] = [
        (|part| matches!(part, Part::Codes(_)), ""),
        (|part| part == Part::Establishments, "Estabelecimentos"),
        (|part| part == Part::Companies, "Empresas"),
        (|part| part == Part::Simples, ""),
        (|part| part == Part::Partners, ""),
    ];
    for (wanted, required) in phases {
        let chosen = |file: &str, inside: &str| Part::of(file, inside).is_some_and(wanted);
        let count = files.each_wanted(progress, &chosen, &mut |file, inside, bytes| {
            let name = super::named(file, inside);
            let Some(part) = Part::of(file, inside) else {
                return Ok(());
            };
            if let Some(day) = day_of(name, &reading.options.today) {
                same_month(name, &reading.version, &day)?;
                reading.version = day;
            }
            let mut format = Format {
                part,
                states: states.clone(),
                only_active: reading.options.only_active,
            };
            read_lines(reading, name, bytes, SHAPE, &mut format)
        })?;
        if count == 0 && !required.is_empty() {
            return Err(ImportError::Refused(format!(
                "no file of {required}: name the folder of the month, or all its zips"
            )));
        }
        reading.take.settle()?;
    }
    Ok(())
}

/// Whether a file is of the month of those before it.
///
/// # Errors
/// It is of another month than they: its companies are not those of
/// their establishments.
fn same_month(file: &str, before: &str, day: &str) -> Result<(), ImportError> {
    if before.is_empty() || before.get(..7) == day.get(..7) {
        return Ok(());
    }
    let why = format!("is of {day}, other files are of {before}: import one month at a time");
    Err(ImportError::of(file, why))
}

/// The states that are kept; empty: all.
fn states(options: &Options) -> Result<BTreeSet<String>, ImportError> {
    let named = options.uf.as_deref().unwrap_or_default().to_uppercase();
    let named = named.split(',').map(str::trim);
    let named: BTreeSet<String> = named
        .filter(|uf| !uf.is_empty())
        .map(str::to_owned)
        .collect();
    match named
        .iter()
        .find(|uf| data::ufs::by_uf(uf).is_none() && *uf != ABROAD)
    {
        Some(uf) => Err(ImportError::Refused(format!("--uf {uf}: no such state"))),
        None => Ok(named),
    }
}

/// The state of establishments abroad.
const ABROAD: &str = "EX";

/// The day in a name, `D51108`: the last digit of the year, month and day.
fn day_of(name: &str, today: &str) -> Option<String> {
    let is_day = |part: &&str| {
        let digits = part.strip_prefix('D');
        digits.is_some_and(|d| d.len() == 5 && d.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let part = name.split('.').find(is_day)?.get(1..)?;
    let this_year: u32 = today.get(..4)?.parse().ok()?;
    let last: u32 = part.get(..1)?.parse().ok()?;
    // The latest year with this digit that has come.
    let year = this_year - (this_year + 10 - last) % 10;
    let day = format!("{year}{}", part.get(1..)?);
    layout::shown_day(&day)
}

struct Format {
    part: Part,
    states: BTreeSet<String>,
    only_active: bool,
}

impl Layout for Format {
    fn first(&mut self, fields: &[&str]) -> Result<(usize, bool), String> {
        expected(fields, self.part.columns())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Line, String> {
        match self.part {
            Part::Codes(begins) => code(begins, fields),
            Part::Establishments => {
                let read = Establishment::read(fields)?;
                let kept = self.states.is_empty() || self.states.contains(&read.uf);
                if !kept || (self.only_active && read.status != layout::ACTIVE) {
                    return Ok(Line::Skipped);
                }
                let (base, branch) = layout::keys(fields)?;
                let content = json(&read)?;
                Ok(Line::Counted(Row::Establishment(EstablishmentRow {
                    base,
                    branch,
                    content,
                })))
            }
            Part::Companies => record(fields, "empresa", &Registration::read(fields)?),
            Part::Simples => record(fields, "simples", &Choices::read(fields)?),
            Part::Partners => {
                // A company has a partner in one line; lines have no key of their own.
                let digest = crate::check::digest(&fields.join(";"));
                let part = format!("socio:{:016x}", digest.cast_unsigned());
                record(fields, &part, &Partner::read(fields)?)
            }
        }
    }
}

fn code(begins: &str, fields: &[&str]) -> Result<Line, String> {
    let [code, text] = fields else {
        return Err("not a code and its text".to_owned());
    };
    if code.is_empty() || code.len() > 8 || text.is_empty() {
        return Err("no code, or no text".to_owned());
    }
    Ok(Line::Row(Row::Code(CodeRow {
        code: format!("{begins}{}", layout::short_code(code)),
        content: (*text).to_owned(),
    })))
}

fn record(fields: &[&str], part: &str, content: &impl Serialize) -> Result<Line, String> {
    let base = layout::base(fields.first().copied().unwrap_or_default())?;
    Ok(Line::Row(Row::Record(RecordRow {
        base,
        part: part.to_owned(),
        content: json(content)?,
    })))
}

fn json(content: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(content).map_err(|error| error.to_string())
}
