//! Units of the NCM for foreign trade (uTrib): the table "NCM e uTrib" of the NF-e
//! portal.

use super::fields::{Column, digits, optional, required, told};
use super::named::Table;
use super::{UNITS, item};
use crate::ImportError;
use crate::formats::{Item, Options};

const MOST_UNIT: usize = 6;

#[derive(Default)]
pub(super) struct Units;

impl Table for Units {
    const COLUMNS: &'static [Column] = &[
        required(&["ncm", "codigoncm", "codigo"]),
        required(&[
            "utribparausoemoperacoesdeexportacaoabreviatura",
            "utribabreviatura",
            "utrib",
        ]),
        optional(&["fimdevigenciadancmnosiscomex"]),
    ];

    fn scope(&mut self, _: &str, _: &Options) -> Result<String, ImportError> {
        Ok(UNITS.to_owned())
    }

    fn row<'f>(&mut self, field: &dyn Fn(usize) -> &'f str) -> Result<Item, String> {
        let [code, unit, until] = [0, 1, 2].map(field);
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
}
