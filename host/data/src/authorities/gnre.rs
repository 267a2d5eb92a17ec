//! GNRE: how one state's taxes are paid from another (Convênio SINIEF 6/1989,
//! art. 88-A; Ajuste SINIEF 1/2010; portal gnre.pe.gov.br).

use crate::table::Table;

pub(crate) static STATES: Table<State> =
    Table::new(include_str!("../../tables/gnre_ufs.tsv"), |c| {
        Some(State {
            uf: c.text()?,
            joined: c.mark()?,
            nota: c.text()?,
        })
    });

pub(crate) static REVENUES: Table<Revenue> =
    Table::new(include_str!("../../tables/gnre_receitas.tsv"), |c| {
        Some(Revenue {
            codigo: c.text()?,
            description: c.text()?,
        })
    });

/// Whether a state is paid by GNRE.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    pub uf: &'static str,
    pub joined: bool,
    /// What it uses instead; may be empty.
    pub nota: &'static str,
}

/// What a payment is for. States admit some of these only.
#[derive(Debug, PartialEq, Eq)]
pub struct Revenue {
    /// Six digits.
    pub codigo: &'static str,
    pub description: &'static str,
}

/// The row of a state.
pub fn state(uf: &str) -> Option<&'static State> {
    STATES.find(|line| line.uf.cmp(uf))
}

/// The row of a revenue code of six digits.
pub fn revenue(codigo: &str) -> Option<&'static Revenue> {
    REVENUES.find(|line| line.codigo.cmp(codigo))
}

/// All revenue codes, in order.
pub fn revenues() -> &'static [Revenue] {
    REVENUES.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ufs;

    #[test]
    fn the_tables_are_whole() {
        assert_eq!(crate::table::check(&STATES, |line| line.uf), 27);
        assert_eq!(crate::table::check(&REVENUES, |line| line.codigo), 16);
        for uf in &ufs::UFS {
            let outside = matches!(uf.abbreviation, "ES" | "SP");
            assert_eq!(state(uf.abbreviation).map(|s| !s.joined), Some(outside));
        }
        let difal = revenue("100102").map(|revenue| revenue.description);
        assert!(difal.is_some_and(|text| text.contains("Consumidor Final")));
        assert_eq!(revenue("1"), None);
        assert_eq!(state("XX"), None);
    }
}
