//! Codes of tax benefit (cBenef). Only São Paulo publishes its table in a form
//! that is kept here; others are taken as they come.

use crate::search::{Found, Search, SearchText};
use crate::table::Table;

pub(crate) static SP: Table<Benefit> = Table::new(include_str!("../../tables/cbenef.tsv"), |c| {
    Some(Benefit {
        codigo: c.text()?,
        cst: c.words()?,
        description: c.text()?,
        legislation: c.text()?,
        observation: c.text()?,
    })
});

static SEARCH: Search<Benefit> = Search::new(all, |row| SearchText {
    codigo: row.codigo.to_owned(),
    text: format!("{} {}", row.description, row.legislation),
    heading: false,
});

/// A benefit and the CST of ICMS it goes with.
#[derive(Debug, PartialEq, Eq)]
pub struct Benefit {
    /// Eight characters, or `SEM CBENEF`.
    pub codigo: &'static str,
    pub cst: Vec<&'static str>,
    pub description: &'static str,
    pub legislation: &'static str,
    pub observation: &'static str,
}

/// Is the state's table here? Without one nothing can be said about a code.
pub fn has_table(uf: &str) -> bool {
    uf == "SP"
}

/// The row of a code in the table of a state.
pub fn get(uf: &str, codigo: &str) -> Option<&'static Benefit> {
    if !has_table(uf) {
        return None;
    }
    SP.find(|line| line.codigo.cmp(codigo))
}

/// Benefits of all states with a table whose code, description or legislation has
/// the words of the query.
pub fn search(query: &str, limit: usize) -> Found<'static, Benefit> {
    SEARCH.find(query, limit)
}

/// All benefits of all states with a table, by code.
pub fn all() -> &'static [Benefit] {
    SP.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&SP, |line| line.codigo), 310);
        let without = get("SP", "SEM CBENEF").expect("SEM CBENEF");
        assert!(without.cst.contains(&"40") && !without.cst.contains(&"00"));
        assert_eq!(get("RJ", "SEM CBENEF"), None);
    }
}
