//! CEST (Convênio ICMS 142/2018, annexes II to XXVI) as a csv: no authority publishes
//! the annexes in another form than text. A code may have a line for each NCM.

use super::fields::{Column, digits, line, optional, required, told};
use super::item;
use super::named::Table;
use crate::formats::Item;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct Cest {
    /// Description and NCM of each code.
    codes: BTreeMap<String, (String, BTreeSet<String>)>,
}

impl Table for Cest {
    const COLUMNS: &'static [Column] = &[
        required(&["cest", "codigo", "codigocest"]),
        required(&["ncm", "ncmsh", "ncms", "ncmprefixos"]),
        required(&["descricao"]),
        optional(&["segmento", "segmentocodigo"]),
    ];

    fn row<'f>(&mut self, field: &dyn Fn(usize) -> &'f str) -> Result<Item, String> {
        let [code, ncm, text, segment] = [0, 1, 2, 3].map(field);
        // A program for tables takes the first digit away where it is 0, and no more.
        if code.bytes().filter(u8::is_ascii_digit).count() < 6 {
            return Err("CEST has not 7 digits".to_owned());
        }
        let code = digits("CEST", code, 7)?;
        let named = segment.bytes().all(|byte| byte.is_ascii_digit()) && !segment.is_empty();
        if named && !code.starts_with(&digits("segmento", segment, 2)?) {
            return Err("segmento is not that of the CEST".to_owned());
        }
        let text = told("descrição", text)?;
        let ncm = prefixes(&line("NCM", ncm)?)?;
        let Some((known, all)) = self.codes.get_mut(&code) else {
            self.codes.insert(code, (text, ncm));
            return Ok(Item::Gathered);
        };
        if *known != text {
            return Err(format!("CEST {code} is there already with another text"));
        }
        if ncm.is_subset(all) {
            return Err(format!("CEST {code} is there already with this NCM"));
        }
        all.extend(ncm);
        Ok(Item::Gathered)
    }

    fn gathered(&mut self) -> Result<Vec<Item>, String> {
        let codes = std::mem::take(&mut self.codes).into_iter();
        let rows = codes.map(|(code, (text, ncm))| {
            let ncm: Vec<String> = ncm.into_iter().collect();
            item("cest", &[code, ncm.join(" "), text])
        });
        rows.collect()
    }
}

/// Beginnings of NCM, two to eight digits each.
fn prefixes(text: &str) -> Result<BTreeSet<String>, String> {
    let parts = text.split([' ', '|', ',', ';', '/']);
    let parts = parts.filter(|part| !part.is_empty());
    let prefixes = parts.map(|part| {
        let plain: String = part.chars().filter(|c| *c != '.').collect();
        let fits =
            (2..=8).contains(&plain.len()) && plain.bytes().all(|byte| byte.is_ascii_digit());
        fits.then_some(plain)
            .ok_or_else(|| "NCM has not 2 to 8 digits".to_owned())
    });
    prefixes.collect()
}
