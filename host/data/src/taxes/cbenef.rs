//! Codes of tax benefit (cBenef), by state. São Paulo's table is built in; those of
//! other states are here once they were installed.

use crate::search::{Found, Search, SearchText};
use crate::table::{self, Table, Version};

pub(crate) static TABLE: Table<Benefit> = Table::keyed(
    include_str!("../../tables/cbenef.tsv"),
    |c| {
        Some(Benefit {
            uf: c.text()?,
            codigo: c.text()?,
            cst: c.words()?,
            description: c.text()?,
            legislation: c.text()?,
            observation: c.text()?,
        })
    },
    2,
);

static SEARCH: Search<Benefit> = Search::new(all, |row| SearchText {
    codigo: row.codigo.to_owned(),
    text: format!("{} {}", row.description, row.legislation),
    heading: false,
});

/// A benefit and the CST of ICMS it goes with.
#[derive(Debug, PartialEq, Eq)]
pub struct Benefit {
    /// The state whose table has it.
    pub uf: &'static str,
    /// Eight characters, ten in some states, or `SEM CBENEF`.
    pub codigo: &'static str,
    /// None where the state's table does not say.
    pub cst: Vec<&'static str>,
    pub description: &'static str,
    pub legislation: &'static str,
    pub observation: &'static str,
}

/// Is the state's table here? Without one nothing can be said about a code.
pub fn has_table(uf: &str) -> bool {
    !of_state(uf).is_empty()
}

/// The benefits of a state, by code.
pub fn of_state(uf: &str) -> &'static [Benefit] {
    TABLE.range(|row| row.uf.cmp(uf))
}

/// The row of a code in the table of a state.
pub fn get(uf: &str, codigo: &str) -> Option<&'static Benefit> {
    TABLE.find(|row| (row.uf, row.codigo).cmp(&(uf, codigo)))
}

/// Benefits of a state, or of all states with a table, whose code, description or
/// legislation has the words of the query.
pub fn search(uf: Option<&str>, query: &str, limit: usize) -> Found<'static, Benefit> {
    let Some(uf) = uf else {
        return SEARCH.find(query, limit);
    };
    let mut found = SEARCH.find(query, usize::MAX);
    found.rows.retain(|row| row.uf == uf);
    found.total = found.rows.len();
    found.rows.truncate(limit);
    found
}

/// All benefits of all states with a table, by state and code.
pub fn all() -> &'static [Benefit] {
    TABLE.lines()
}

/// Which edition of a state's table answers: its comment line says date and source.
pub fn version(uf: &str) -> Option<Version> {
    let (date, source) = table::comment(TABLE.text(), uf)?.split_once("; ")?;
    Some(Version {
        name: "cbenef",
        title: table::comment(TABLE.text(), "titulo").unwrap_or_default(),
        date,
        source,
        rows: of_state(uf).len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let key = |row: &Benefit| (row.uf, row.codigo);
        assert_eq!(crate::table::check(&TABLE, key), 310);
        let without = get("SP", "SEM CBENEF").expect("SEM CBENEF");
        assert!(without.cst.contains(&"40") && !without.cst.contains(&"00"));
        assert_eq!(get("RJ", "SEM CBENEF"), None);
        assert!(has_table("SP") && !has_table("RJ"));
    }

    #[test]
    fn a_state_has_its_edition() {
        let version = version("SP").expect("SP");
        assert_eq!((version.date, version.rows), ("2026-03", 310));
        assert_eq!(version.source, "SEFAZ-SP, Portaria SRE 70/2025");
        assert_eq!(super::version("RJ"), None);
        let of_state = search(Some("SP"), "aids", 1);
        assert_eq!(of_state.total, search(None, "aids", 9).total);
        assert_eq!(search(Some("RJ"), "aids", 9).total, 0);
    }
}
