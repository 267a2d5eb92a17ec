//! The TIPI as the Receita Federal publishes it: a workbook with the columns NCM, EX,
//! DESCRIÇÃO, ALÍQUOTA (%). Headings have no rate.

use super::fields::{Column, digits, line, optional, rate, required};
use super::item;
use super::named::Table;
use crate::formats::Item;

/// Largest rate, percent: cigarettes have 300.
const MOST_PERCENT: u32 = 500;

#[derive(Default)]
pub(super) struct Tipi;

impl Table for Tipi {
    const COLUMNS: &'static [Column] = &[
        required(&["ncm"]),
        optional(&["ex"]),
        required(&["aliquota", "aliquotaipi"]),
        optional(&["descricao"]),
    ];

    fn row<'f>(&mut self, field: &dyn Fn(usize) -> &'f str) -> Result<Item, String> {
        let [code, ex, percent, text] = [0, 1, 2, 3].map(field);
        let signs = code.chars().filter(|c| c.is_ascii_digit()).count();
        if code.is_empty() || percent.is_empty() && signs < 8 {
            return Ok(Item::Skipped);
        }
        if signs != 8 {
            return Err("NCM has not 8 digits".to_owned());
        }
        let code = digits("NCM", code, 8)?;
        let ex = match ex.to_lowercase().trim_start_matches("ex").trim() {
            "" => String::new(),
            number => digits("EX", number, 2)?,
        };
        let percent = match percent {
            "" => return Err("ALÍQUOTA is empty".to_owned()),
            percent if percent.eq_ignore_ascii_case("NT") => "NT".to_owned(),
            percent => rate("ALÍQUOTA", percent, MOST_PERCENT)?,
        };
        let text = line("DESCRIÇÃO", text)?;
        let text = text.trim_start_matches(['-', ' ']).to_owned();
        item("tipi", &[code, ex, percent, text])
    }
}
