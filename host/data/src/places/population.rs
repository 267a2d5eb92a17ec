//! How many people live in a municipality, for shares of Brazil.

use crate::table::Table;

pub(crate) static TABLE: Table<Population> =
    Table::new(include_str!("../../tables/populacao.tsv"), |c| {
        Some(Population {
            codigo: c.number()?,
            inhabitants: c.number()?,
        })
    });

/// The estimate of one municipality.
#[derive(Debug, PartialEq, Eq)]
pub struct Population {
    /// IBGE, seven digits.
    pub codigo: u32,
    /// Inhabitants on the day of the table.
    pub inhabitants: u32,
}

/// Inhabitants of a municipality. None: founded after the estimate, or no
/// municipality.
pub fn of(codigo: u32) -> Option<u32> {
    let found = TABLE.find(|line| line.codigo.cmp(&codigo))?;
    Some(found.inhabitants)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::municipalities;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 5570);
        let total: u64 = TABLE.lines().iter().map(|l| u64::from(l.inhabitants)).sum();
        // The estimate of IBGE for Brazil on 2020-07-01.
        assert_eq!(total, 211_755_692);
        let without = municipalities::all()
            .iter()
            .filter(|m| of(m.codigo).is_none());
        assert_eq!(without.map(|m| m.codigo).collect::<Vec<_>>(), [5_101_837]);
    }
}
