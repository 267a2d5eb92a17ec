//! Municipalities by their IBGE code.

use crate::places::ufs::{self, Uf};
use crate::table::Table;

pub(crate) static TABLE: Table<Municipality> =
    Table::new(include_str!("../../tables/municipios.tsv"), |c| {
        Some(Municipality {
            codigo: c.number()?,
            utc: c.number()?,
            name: c.text()?,
        })
    });

/// A municipality that exists.
#[derive(Debug, PartialEq, Eq)]
pub struct Municipality {
    /// Seven digits.
    pub codigo: u32,
    /// Hours from UTC: some differ from their capital (Fernando de Noronha,
    /// the west of Amazonas).
    pub utc: i8,
    pub name: &'static str,
}

impl Municipality {
    pub fn uf(&self) -> Option<&'static Uf> {
        ufs::by_code(u8::try_from(self.codigo / 100_000).ok()?)
    }
}

/// The municipality of a code.
pub fn get(codigo: u32) -> Option<&'static Municipality> {
    TABLE.find(|line| line.codigo.cmp(&codigo))
}

/// All municipalities, by code.
pub fn all() -> &'static [Municipality] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 5571);
        assert!(all().iter().all(|line| line.uf().is_some()));
    }

    #[test]
    fn an_island_has_its_own_hour() {
        assert_eq!(get(2_605_459).map(|m| m.utc), Some(-2));
        assert_eq!(get(3_550_308).map(|m| m.utc), Some(-3));
        for uf in &ufs::UFS {
            let capital = |line: &Municipality| line.uf() == Some(uf) && line.utc == uf.utc;
            assert!(all().iter().any(capital), "{uf:?}");
        }
    }
}
