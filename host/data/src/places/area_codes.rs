//! Area codes of telephones (DDD): Plano Geral de Códigos Nacionais of the
//! Anatel (Resolução 749/2022).

use crate::table::Table;

pub(crate) static TABLE: Table<AreaCode> = Table::new(include_str!("../../tables/ddd.tsv"), |c| {
    Some(AreaCode {
        ddd: c.number()?,
        uf: c.text()?,
        municipalities: c.number()?,
    })
});

/// An area code in a state.
#[derive(Debug, PartialEq, Eq)]
pub struct AreaCode {
    /// Two digits.
    pub ddd: u8,
    pub uf: &'static str,
    /// How many municipalities of the state have it.
    pub municipalities: u16,
}

/// The states a code is used in: one row, or two for a code that crosses a
/// border (42, 47, 49, 61). None: no such code.
pub fn get(ddd: u8) -> &'static [AreaCode] {
    TABLE.range(|line| line.ddd.cmp(&ddd))
}

/// All rows, by code and state.
pub fn all() -> &'static [AreaCode] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{cities, ufs};

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| (line.ddd, line.uf)), 71);
        for row in all() {
            let uf = ufs::by_uf(row.uf).expect(row.uf);
            let there = |city: &&cities::City| city.ddd == row.ddd && city.uf() == Some(uf);
            let counted = cities::all().iter().filter(there).count();
            assert_eq!(counted, usize::from(row.municipalities), "{row:?}");
        }
    }

    #[test]
    fn a_code_leads_to_its_states() {
        let ufs = |ddd| -> Vec<&str> { get(ddd).iter().map(|row| row.uf).collect() };
        assert_eq!(ufs(11), ["SP"]);
        assert_eq!(ufs(61), ["DF", "GO"]);
        assert!(ufs(20).is_empty() && ufs(0).is_empty());
        let crossing = (11..=99).filter(|ddd| get(*ddd).len() > 1);
        assert_eq!(crossing.collect::<Vec<u8>>(), [42, 47, 49, 61]);
    }
}
