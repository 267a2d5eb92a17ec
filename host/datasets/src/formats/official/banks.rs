//! Lists of the Banco Central: participants of the STR (`ParticipantesSTR.csv`), of
//! which those with a clearing code count, and of PIX
//! (`lista-participantes-instituicoes-em-adesao-pix-AAAAMMDD.csv`). The second has a
//! title above and, below, a list of who is going to take part.

use super::fields::{Column, Places, digits, optional, required, told};
use super::{SPI, STR, item};
use crate::ImportError;
use crate::formats::{Columns, Item, Label, Options};
use data::search::fold;
use std::collections::HashSet;

const OF_STR: [Column; 4] = [
    required(&["ispb"]),
    required(&["numerocodigo"]),
    required(&["nomereduzido"]),
    optional(&["nomeextenso"]),
];
const OF_PIX: [Column; 3] = [
    required(&["ispb"]),
    required(&["nomereduzido", "nome"]),
    required(&["tipodeparticipacaonospi"]),
];

#[derive(Default)]
pub(super) struct Format {
    places: Places,
    day: String,
    pix: bool,
    /// Participants so far: one in several modalities has several lines.
    seen: HashSet<String>,
}

impl Format {
    pub(super) fn new(day: &str) -> Format {
        Format {
            day: day.to_owned(),
            ..Format::default()
        }
    }

    fn bank(&self, fields: &[&str]) -> Result<Item, String> {
        let [ispb, code, short, name] =
            [0, 1, 2, 3].map(|column| self.places.field(fields, column));
        let code = code.trim_start_matches('0');
        if code.is_empty() || code.eq_ignore_ascii_case("n/a") {
            return Ok(Item::Skipped);
        }
        let code = digits("Número_Código", code, 3)?;
        let ispb = digits("ISPB", ispb, 8)?;
        let name = if name.is_empty() { short } else { name };
        item("bancos", &[code, ispb, told("Nome_Extenso", name)?])
    }

    fn member(&mut self, fields: &[&str]) -> Result<Item, String> {
        let [ispb, name, kind] = [0, 1, 2].map(|column| self.places.field(fields, column));
        if ispb.is_empty() {
            return Ok(Item::Skipped);
        }
        let ispb = digits("ISPB", ispb, 8)?;
        let direct = match fold(kind).as_str() {
            kind if kind.starts_with("diret") => "1",
            kind if kind.starts_with("indiret") => "0",
            _ => {
                return Err(
                    "the kind of its part in the SPI is neither Direta nor Indireta".to_owned(),
                );
            }
        };
        if !self.seen.insert(ispb.clone()) {
            return Ok(Item::Skipped);
        }
        let name = told("Nome Reduzido", name)?;
        item("pix_participantes", &[ispb, direct.to_owned(), name])
    }
}

impl Columns for Format {
    fn is_header(&self, names: &[String]) -> bool {
        Places::fit(names, &OF_PIX) || Places::fit(names, &OF_STR)
    }

    fn is_over(&self, fields: &[&str]) -> bool {
        let number = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
        self.pix && !fields.first().is_some_and(number)
    }

    fn header(
        &mut self,
        file: &str,
        header: &[String],
        _: &Options,
    ) -> Result<String, ImportError> {
        self.pix = Places::fit(header, &OF_PIX);
        self.places = match self.pix {
            true => Places::of(file, header, &OF_PIX)?,
            false => Places::of(file, header, &OF_STR)?,
        };
        Ok(if self.pix { SPI } else { STR }.to_owned())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        match self.pix {
            true => self.member(fields),
            false => self.bank(fields),
        }
    }

    fn label(&mut self) -> Label {
        Label {
            scope: if self.pix { SPI } else { STR }.to_owned(),
            version: self.day.clone(),
            ..Label::default()
        }
    }
}
