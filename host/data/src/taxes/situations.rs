//! Short code tables of the NF-e layout: tax situations, origin of goods, IPI
//! classification, reasons of exemption.

use crate::table::{Table, head};

pub(crate) static TABLE: Table<Line> =
    Table::new(include_str!("../../tables/situacoes.tsv"), |c| {
        let (table, codigo) = (c.text()?, c.text()?);
        Some(Line {
            codes: CODES.into_iter().find(|codes| codes.name() == table),
            table,
            head: head(codigo),
            situation: Situation {
                codigo,
                direction: match c.text()? {
                    "e" => Some(Direction::Entrada),
                    "s" => Some(Direction::Exit),
                    "" => None,
                    _ => return None,
                },
                description: c.text()?,
            },
        })
    });

/// Which code table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// CST of ICMS, two digits (without the origin).
    Icms,
    /// CSOSN of the Simples Nacional, three digits.
    Csosn,
    Ipi,
    /// CST of PIS and COFINS.
    PisCofins,
    /// Origin of goods, one digit.
    Origin,
    /// `motDesICMS`, two digits (`09`; the layout writes `9`).
    Relief,
    /// `cEnq`, three digits. Codes 163 to 165 exist and are not in the table: one
    /// that is missing here may be right.
    IpiClassification,
}

const CODES: [Codes; 7] = [
    Codes::Icms,
    Codes::Csosn,
    Codes::Ipi,
    Codes::PisCofins,
    Codes::Origin,
    Codes::Relief,
    Codes::IpiClassification,
];

/// Which way goods go, where a code is for one way only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Entrada,
    Exit,
}

/// A code and its official name.
#[derive(Debug, PartialEq, Eq)]
pub struct Situation {
    pub codigo: &'static str,
    /// None: both ways.
    pub direction: Option<Direction>,
    pub description: &'static str,
}

#[derive(Debug)]
pub(crate) struct Line {
    /// What `table` names; none in a text of others that has more than we know.
    codes: Option<Codes>,
    table: &'static str,
    head: u64,
    situation: Situation,
}

impl Codes {
    fn name(self) -> &'static str {
        match self {
            Codes::Icms => "icms",
            Codes::Csosn => "csosn",
            Codes::Ipi => "ipi",
            Codes::PisCofins => "pis_cofins",
            Codes::Origin => "origem",
            Codes::Relief => "desoneracao",
            Codes::IpiClassification => "ipi_enquadramento",
        }
    }

    /// The row of a code of this table.
    pub fn get(self, codigo: &str) -> Option<&'static Situation> {
        let head = head(codigo);
        let found = TABLE.find(|line| match line.codes == Some(self) {
            true => {
                let then = || line.situation.codigo.cmp(codigo);
                line.head.cmp(&head).then_with(then)
            }
            false => line.table.cmp(self.name()),
        });
        found.map(|line| &line.situation)
    }

    /// All rows of this table, by code.
    pub fn all(self) -> impl Iterator<Item = &'static Situation> {
        TABLE
            .range(|line| line.table.cmp(self.name()))
            .iter()
            .map(|line| &line.situation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        crate::table::check(&TABLE, |line| (line.table, line.situation.codigo));
        let count = |codes: Codes| codes.all().count();
        assert_eq!(count(Codes::Icms), 15);
        assert_eq!(count(Codes::Csosn), 10);
        assert_eq!(count(Codes::Ipi), 14);
        assert_eq!(count(Codes::PisCofins), 33);
        assert_eq!(count(Codes::Origin), 9);
        assert_eq!(count(Codes::Relief), 14);
        assert_eq!(count(Codes::IpiClassification), 129);
    }

    #[test]
    fn each_code_is_found_in_its_table_as_it_stands() {
        for line in TABLE.lines() {
            for codes in CODES {
                let codigo = line.situation.codigo;
                let here = |row: &&Line| row.table == codes.name();
                let mut rows = TABLE.lines().iter().filter(here);
                let row = rows.find(|row| row.situation.codigo == codigo);
                assert_eq!(codes.get(codigo), row.map(|row| &row.situation));
                assert_eq!(codes.get(&format!("{codigo}\0")), None);
            }
            let codes = line.codes.expect("a table that has a name");
            assert_eq!(codes.name(), line.table);
            assert_eq!(codes.get(line.situation.codigo), Some(&line.situation));
        }
    }

    #[test]
    fn a_code_is_found_in_its_own_table_only() {
        assert!(Codes::Icms.get("00").is_some());
        assert!(Codes::Csosn.get("00").is_none());
        assert_eq!(
            Codes::Ipi.get("50").and_then(|row| row.direction),
            Some(Direction::Exit)
        );
        assert!(Codes::IpiClassification.get("999").is_some());
    }
}
