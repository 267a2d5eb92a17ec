//! Units of the NCM for foreign trade (uTrib): the table "NCM e uTrib" of the NF-e
//! portal.

use super::fields::{Column, Places, digits, optional, required, told};
use super::{UNITS, item};
use crate::ImportError;
use crate::formats::{Columns, Item, Label, Options};

const COLUMNS: [Column; 3] = [
    required(&["ncm", "codigoncm", "codigo"]),
    required(&[
        "utribparausoemoperacoesdeexportacaoabreviatura",
        "utribabreviatura",
        "utrib",
    ]),
    optional(&["fimdevigenciadancmnosiscomex"]),
];
const MOST_UNIT: usize = 6;

#[derive(Default)]
pub(super) struct Format {
    places: Places,
    day: String,
}

impl Format {
    pub(super) fn new(day: &str) -> Format {
        Format {
            day: day.to_owned(),
            ..Format::default()
        }
    }
}

impl Columns for Format {
    fn is_header(&self, names: &[String]) -> bool {
        Places::fit(names, &COLUMNS)
    }

    fn header(
        &mut self,
        file: &str,
        header: &[String],
        _: &Options,
    ) -> Result<String, ImportError> {
        self.places = Places::of(file, header, &COLUMNS)?;
        Ok(UNITS.to_owned())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        let [code, unit, until] = [0, 1, 2].map(|column| self.places.field(fields, column));
        if code.is_empty() || !until.is_empty() {
            // A code that is over may be there again under another unit.
            return Ok(Item::Skipped);
        }
        let code = digits("NCM", code, 8)?;
        let unit = told("uTrib", unit)?.to_uppercase();
        if unit.chars().count() > MOST_UNIT {
            return Err(format!("uTrib has more than {MOST_UNIT} characters"));
        }
        item("utrib", &[code, unit])
    }

    fn label(&mut self) -> Label {
        Label {
            scope: UNITS.to_owned(),
            version: self.day.clone(),
            ..Label::default()
        }
    }
}
