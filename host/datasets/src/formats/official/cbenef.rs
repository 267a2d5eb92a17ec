//! Codes of tax benefit (cBenef) of a state, as a csv or workbook: states publish
//! theirs in forms of their own, brought into these columns.

use super::fields::{Column, line, optional, required, told};
use super::item;
use super::named::Table;
use crate::ImportError;
use crate::formats::{Item, Options};
use data::ufs;

/// What stands where a state wants to hear that there is none.
const NONE: &str = "SEM CBENEF";

#[derive(Default)]
pub(super) struct Cbenef {
    uf: String,
}

impl Table for Cbenef {
    const COLUMNS: &'static [Column] = &[
        required(&["codigo", "cbenef", "codigobeneficio", "codigodobeneficio"]),
        required(&["descricao", "beneficio"]),
        optional(&["cst", "csts"]),
        optional(&["legislacao", "baselegal", "dispositivolegal", "fundamento"]),
        optional(&["observacao", "observacoes"]),
        optional(&["uf"]),
    ];

    fn scope(&mut self, file: &str, options: &Options) -> Result<String, ImportError> {
        let in_name = || {
            let words = file.split(|c: char| !c.is_ascii_alphanumeric());
            let mut words = words.map(str::to_ascii_uppercase);
            words.find(|word| ufs::by_uf(word).is_some())
        };
        let uf = options.uf.as_ref().map(|uf| uf.to_ascii_uppercase());
        let uf = uf.or_else(in_name).filter(|uf| ufs::by_uf(uf).is_some());
        self.uf = uf.ok_or_else(|| {
            ImportError::of(
                file,
                "its name does not say the state (cbenef_RJ.csv): add --uf RJ",
            )
        })?;
        Ok(self.uf.clone())
    }

    fn row<'f>(&mut self, field: &dyn Fn(usize) -> &'f str) -> Result<Item, String> {
        let [code, text, cst, law, note, uf] = [0, 1, 2, 3, 4, 5].map(field);
        if !uf.is_empty() && !uf.eq_ignore_ascii_case(&self.uf) {
            return Err(format!("uf is not {}", self.uf));
        }
        let code = line("código", code)?.to_ascii_uppercase();
        let fits = matches!(code.len(), 8 | 10)
            && code.starts_with(&self.uf)
            && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !fits && code != NONE {
            return Err(format!(
                "código is neither {} and 6 or 8 signs nor {NONE}",
                self.uf
            ));
        }
        let columns = [
            self.uf.clone(),
            code,
            situations(cst)?,
            told("descrição", text)?,
            line("legislação", law)?,
            line("observação", note)?,
        ];
        item("cbenef", &columns)
    }
}

/// CST of ICMS, two digits each.
fn situations(text: &str) -> Result<String, String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let fits = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.iter().all(fits) {
        Ok(parts.join(" "))
    } else {
        Err("CST has not two digits".to_owned())
    }
}
