//! Nominal rates of IBS and CBS by year (LC 214/2025, arts. 343 to 347).

use rust_decimal::Decimal;

use crate::table::Table;

pub(crate) static TABLE: Table<Year> =
    Table::new(include_str!("../../tables/ibs_cbs_aliquotas.tsv"), |c| {
        Some(Year {
            of: c.number()?,
            until: c.number()?,
            ibs_uf: c.optional_decimal()?,
            ibs_mun: c.optional_decimal()?,
            cbs: c.optional_decimal()?,
            source: c.text()?,
        })
    });

/// Rates of some years, percent. A rate nobody has fixed yet is none.
#[derive(Debug, PartialEq, Eq)]
pub struct Year {
    pub of: i32,
    pub until: i32,
    pub ibs_uf: Option<Decimal>,
    pub ibs_mun: Option<Decimal>,
    pub cbs: Option<Decimal>,
    pub source: &'static str,
}

/// Rates of a year. 2025 takes those of 2026: notes of that year could carry
/// the group already (NT 2025.002, UB18-10).
pub fn of_year(year: i32) -> Option<&'static Year> {
    let year = year.max(2026);
    TABLE
        .lines()
        .iter()
        .find(|line| (line.of..=line.until).contains(&year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_without_a_law_have_no_rate() {
        crate::table::check(&TABLE, |line| line.of);
        let test = of_year(2026).expect("2026");
        assert_eq!(test.cbs, Some(Decimal::new(90, 2)));
        assert_eq!(test.ibs_mun, Some(Decimal::ZERO));
        assert_eq!(of_year(2027).and_then(|year| year.cbs), None);
        assert_eq!(
            of_year(2028).and_then(|year| year.ibs_uf),
            Some(Decimal::new(5, 2))
        );
        assert_eq!(of_year(2029), None);
    }
}
