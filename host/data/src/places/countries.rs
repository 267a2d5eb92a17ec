//! Countries by the code of the Banco Central (`cPais`).

use crate::table::Table;

pub(crate) static TABLE: Table<Country> =
    Table::new(include_str!("../../tables/paises.tsv"), |c| {
        Some(Country {
            codigo: c.number()?,
            iso: c.optional()?,
            name: c.text()?,
        })
    });

/// Brazil's code.
pub const BRAZIL: u16 = 1058;

/// A country of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Country {
    /// Up to four digits.
    pub codigo: u16,
    /// ISO 3166 alpha-2, where known.
    pub iso: Option<&'static str>,
    pub name: &'static str,
}

/// The row of a code.
pub fn get(codigo: u16) -> Option<&'static Country> {
    TABLE.find(|line| line.codigo.cmp(&codigo))
}

/// The first row of an ISO code.
pub fn by_iso(iso: &str) -> Option<&'static Country> {
    all().iter().find(|country| country.iso == Some(iso))
}

/// All rows, by code.
pub fn all() -> &'static [Country] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert!(crate::table::check(&TABLE, |line| line.codigo) > 240);
        assert_eq!(get(BRAZIL).and_then(|country| country.iso), Some("BR"));
        assert_eq!(by_iso("BR").map(|country| country.codigo), Some(BRAZIL));
        assert_eq!(get(0), None);
    }
}
