//! Short code tables of the NF-e layout: tax situations, origin of goods, IPI
//! classification, reasons of exemption.

use crate::table::Table;

pub(crate) static TABLE: Table<Line> =
    Table::new(include_str!("../../tables/situacoes.tsv"), |c| {
        Some(Line {
            table: c.text()?,
            situation: Situation {
                codigo: c.text()?,
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
    table: &'static str,
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
        TABLE
            .find(|line| (line.table, line.situation.codigo).cmp(&(self.name(), codigo)))
            .map(|line| &line.situation)
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
