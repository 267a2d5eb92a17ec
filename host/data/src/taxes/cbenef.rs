//! Codes of tax benefit (cBenef). Only São Paulo publishes its table in a form
//! that is kept here; others are taken as they come.

use crate::table::Table;

static SP: Table<Benefit> = Table::new(include_str!("../../tables/cbenef.tsv"), |c| {
    Some(Benefit {
        codigo: c.text()?,
        cst: c.words()?,
        description: c.text()?,
        legislation: c.text()?,
        observation: c.text()?,
    })
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
