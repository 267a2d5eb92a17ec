//! The Correios' e-DNE Básico, delimited: texts in Latin-1 with `@` between the
//! columns and no names of them (layouts of the manual's delimited files).

use super::lines::{Layout, Line, Shape, expected, read as read_lines};
use super::streets::{Words, folded_name};
use super::{Reading, Row};
use crate::ImportError;
use crate::files::Files;
use crate::progress::Progress;
use data::municipalities;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::tables::streets::StreetRow;

const SHAPE: Shape = Shape {
    delimiter: b'@',
    quoted: false,
};

/// A text of the base that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// Towns, districts and villages.
    Localities,
    Districts,
    /// Streets of one state.
    Streets,
    /// Who has a CEP of his own.
    LargeUsers,
    /// Post offices.
    Offices,
    /// Boxes for the mail of a neighbourhood.
    Boxes,
}

impl File {
    /// By its name: a file alone, or one inside of the archive.
    pub fn of(file: &str, inside: &str) -> Option<File> {
        let name = super::named(file, inside).to_uppercase();
        let name = name.strip_suffix(".TXT")?;
        Some(match name {
            "LOG_LOCALIDADE" => File::Localities,
            "LOG_BAIRRO" => File::Districts,
            "LOG_GRANDE_USUARIO" => File::LargeUsers,
            "LOG_UNID_OPER" => File::Offices,
            "LOG_CPC" => File::Boxes,
            _ => {
                let state = name.strip_prefix("LOG_LOGRADOURO_")?;
                data::ufs::by_uf(state)?;
                File::Streets
            }
        })
    }

    fn columns(self) -> usize {
        match self {
            File::Localities | File::LargeUsers => 9,
            File::Districts => 5,
            File::Streets => 11,
            File::Offices => 10,
            File::Boxes => 6,
        }
    }
}

/// Reads the files: those that others refer to first.
pub(super) fn read(
    files: &Files,
    progress: &Arc<Progress>,
    reading: &mut Reading<'_>,
) -> Result<(), ImportError> {
    let mut names = Names::default();
    for (kind, required) in [
        (File::Localities, "LOG_LOCALIDADE.TXT"),
        (File::Districts, "LOG_BAIRRO.TXT"),
        (File::Streets, "LOG_LOGRADOURO_*.TXT"),
        (File::LargeUsers, ""),
        (File::Offices, ""),
        (File::Boxes, ""),
    ] {
        let wanted = |file: &str, inside: &str| File::of(file, inside) == Some(kind);
        let mut seen = HashSet::new();
        let count = files.each_wanted(progress, &wanted, &mut |file, inside, bytes| {
            let mut format = Format {
                kind,
                names: &mut names,
                seen: &mut seen,
            };
            let name = super::named(file, inside);
            read_lines(reading, name, bytes, SHAPE, &mut format)
        })?;
        if count == 0 && !required.is_empty() {
            return Err(ImportError::Refused(format!(
                "no {required} among the files"
            )));
        }
        if kind == File::Localities {
            names.towns(reading)?;
        }
    }
    reading.version = release(files).unwrap_or_default();
    Ok(())
}

/// The number of the release in the name of a file or its folders:
/// `eDNE_Basico_26071.zip`.
fn release(files: &Files) -> Option<String> {
    let parts = files.paths.iter().flat_map(|path| path.iter());
    let mut releases = parts.filter_map(|part| {
        let part = part.to_string_lossy().to_uppercase();
        let (_, rest) = part.split_once("EDNE_BASICO_")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        (digits.len() >= 4).then_some(digits)
    });
    releases.next()
}

/// A town, district or village.
#[derive(Clone, Debug)]
struct Locality {
    name: String,
    /// IBGE code of its municipality, itself or the one it is part of.
    municipality: Option<u32>,
    /// Number of the town it is part of.
    town: String,
    /// Its only CEP; empty: its streets have theirs.
    cep: String,
}

/// What other files refer to.
#[derive(Default)]
struct Names {
    localities: HashMap<String, Locality>,
    districts: HashMap<String, String>,
}

impl Names {
    /// The municipality of a locality, and its own name if it is only a part of it.
    fn place(&self, number: &str) -> Result<(u32, &str), String> {
        let unknown = || format!("locality {number} is not in LOG_LOCALIDADE");
        let found = self.localities.get(number).ok_or_else(unknown)?;
        if found.town.is_empty() {
            let code = found.municipality.ok_or_else(unknown)?;
            return Ok((code, ""));
        }
        let town = self.localities.get(&found.town);
        let town = town.and_then(|town| town.municipality);
        let code = found.municipality.or(town).ok_or_else(unknown)?;
        Ok((code, &found.name))
    }

    /// Gives on the towns that have one CEP.
    fn towns(&self, reading: &mut Reading<'_>) -> Result<(), ImportError> {
        let mut all: Vec<(&String, &Locality)> = self.localities.iter().collect();
        all.sort_by_key(|(number, _)| *number);
        for (number, locality) in all {
            if locality.cep.is_empty() {
                continue;
            }
            let row = self.place(number).and_then(|(municipality, part)| {
                let words = Words {
                    district: part.to_owned(),
                    ..Words::default()
                };
                row(
                    &locality.cep,
                    municipality,
                    File::Localities,
                    number,
                    &words,
                )
            });
            match row {
                Ok(row) => reading.counted(super::At::default(), Row::Street(row))?,
                Err(why) => reading.report.problem("LOG_LOCALIDADE.TXT", 0, why),
            }
        }
        Ok(())
    }
}

struct Format<'n> {
    kind: File,
    names: &'n mut Names,
    /// Numbers of the lines of this kind so far: two millions at most.
    seen: &'n mut HashSet<u32>,
}

impl Layout for Format<'_> {
    fn first(&mut self, fields: &[&str]) -> Result<(usize, bool), String> {
        expected(fields, self.kind.columns())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Line, String> {
        let text = |place: usize| fields.get(place).copied().unwrap_or_default();
        let number = text(0);
        let id = number
            .parse()
            .map_err(|_| "its number is none".to_owned())?;
        if !self.seen.insert(id) {
            return Err(format!(
                "number {id} is there already; the first one counts"
            ));
        }
        match self.kind {
            File::Localities => self.locality(fields),
            File::Districts => {
                let names = &mut self.names.districts;
                names.insert(number.to_owned(), text(3).to_owned());
                Ok(Line::Gathered)
            }
            File::Streets => self.street(fields),
            File::LargeUsers | File::Offices => {
                let (locality, district) = (text(2), text(3));
                self.special(number, locality, district, text(5), text(6), text(7))
            }
            File::Boxes => self.special(number, text(2), "", text(3), text(4), text(5)),
        }
    }
}

impl Format<'_> {
    /// LOC_NU, UFE_SG, LOC_NO, CEP, LOC_IN_SIT, LOC_IN_TIPO_LOC, LOC_NU_SUB,
    /// LOC_NO_ABREV, MUN_NU.
    fn locality(&mut self, fields: &[&str]) -> Result<Line, String> {
        let text = |place: usize| fields.get(place).copied().unwrap_or_default();
        if data::ufs::by_uf(text(1)).is_none() {
            return Err(format!("{} is no state", text(1)));
        }
        let code = match text(8) {
            "" => None,
            code => {
                let code = code.parse().ok();
                let known = code.filter(|code| municipalities::get(*code).is_some());
                Some(known.ok_or("MUN_NU is no municipality")?)
            }
        };
        let town = text(6);
        if code.is_none() && town.is_empty() {
            return Err("neither MUN_NU nor LOC_NU_SUB".to_owned());
        }
        let locality = Locality {
            name: text(2).to_owned(),
            municipality: code,
            town: town.to_owned(),
            cep: match text(3) {
                "" => String::new(),
                cep => digits(cep)?,
            },
        };
        let names = &mut self.names.localities;
        names.insert(text(0).to_owned(), locality);
        Ok(Line::Gathered)
    }

    /// LOG_NU, UFE_SG, LOC_NU, BAI_NU_INI, BAI_NU_FIM, LOG_NO, LOG_COMPLEMENTO,
    /// CEP, TLO_TX, LOG_STA_TLO, LOG_NO_ABREV.
    fn street(&mut self, fields: &[&str]) -> Result<Line, String> {
        let text = |place: usize| fields.get(place).copied().unwrap_or_default();
        let (municipality, part) = self.names.place(text(2))?;
        // The kind is part of the name unless the line says that it is not used.
        let street = match (text(8), text(9)) {
            ("", _) | (_, "N") => text(5).to_owned(),
            (kind, _) => format!("{kind} {}", text(5)),
        };
        let words = Words {
            street,
            district: self.district(text(3), part),
            complement: text(6).to_owned(),
            unit: String::new(),
        };
        let row = row(text(7), municipality, self.kind, text(0), &words)?;
        Ok(Line::Counted(Row::Street(row)))
    }

    /// Who has a CEP of his own: his name and address.
    fn special(
        &mut self,
        number: &str,
        locality: &str,
        district: &str,
        name: &str,
        address: &str,
        cep: &str,
    ) -> Result<Line, String> {
        let (municipality, part) = self.names.place(locality)?;
        let words = Words {
            street: address.to_owned(),
            district: self.district(district, part),
            complement: String::new(),
            unit: name.to_owned(),
        };
        let row = row(cep, municipality, self.kind, number, &words)?;
        Ok(Line::Counted(Row::Street(row)))
    }

    /// The name of a district; where there is none, of the part of the municipality.
    fn district(&self, number: &str, part: &str) -> String {
        let found = self.names.districts.get(number);
        found.map_or(part, String::as_str).to_owned()
    }
}

fn row(
    cep: &str,
    municipality: u32,
    kind: File,
    number: &str,
    words: &Words,
) -> Result<StreetRow, String> {
    let cep = digits(cep)?.parse().map_err(|_| "no CEP".to_owned())?;
    let number: i64 = number
        .parse()
        .map_err(|_| "its number is none".to_owned())?;
    Ok(StreetRow {
        cep,
        // Streets before whoever has the same CEP.
        place: kind.rank() * 1_000_000_000 + number,
        municipality: i64::from(municipality),
        name: folded_name(&words.street),
        content: words.stored()?,
        ..StreetRow::default()
    })
}

impl File {
    fn rank(self) -> i64 {
        match self {
            File::Streets => 0,
            File::LargeUsers => 1,
            File::Offices => 2,
            File::Boxes => 3,
            File::Localities | File::Districts => 4,
        }
    }
}

fn digits(cep: &str) -> Result<String, String> {
    let plain: String = cep.chars().filter(|c| *c != '-').collect();
    if plain.len() == 8 && plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(plain);
    }
    Err("CEP has not 8 digits".to_owned())
}
