//! ICMS between and within states: rates, poverty fund, base of the DIFAL.

use rust_decimal::Decimal;
use time::Date;

use crate::places::ufs;
use crate::table::Table;

pub(crate) static INTERNAL_RATES: Table<Internal> =
    Table::new(include_str!("../../tables/icms_interna.tsv"), |c| {
        Some(Internal {
            uf: c.text()?,
            since: c.data()?,
            aliquota: c.decimal()?,
            source: c.text()?,
        })
    });

pub(crate) static FCP: Table<Fcp> = Table::new(include_str!("../../tables/fcp.tsv"), |c| {
    Some(Fcp {
        uf: c.text()?,
        general: c.decimal()?,
        maximum: c.decimal()?,
        nota: c.text()?,
    })
});

pub(crate) static DIFAL: Table<Difal> =
    Table::new(include_str!("../../tables/difal_base.tsv"), |c| {
        Some(Difal {
            uf: c.text()?,
            non_taxpayer: Base::of(c.text()?)?,
            taxpayer: Base::of(c.text()?)?,
            nota: c.text()?,
        })
    });

/// General internal rate of a state, percent, without the poverty fund.
/// Products have rates of their own that are not here.
#[derive(Debug, PartialEq, Eq)]
pub struct Internal {
    pub uf: &'static str,
    /// None: from before 2023.
    pub since: Option<Date>,
    pub aliquota: Decimal,
    pub source: &'static str,
}

/// Poverty fund of a state, percent.
#[derive(Debug, PartialEq, Eq)]
pub struct Fcp {
    pub uf: &'static str,
    /// On nearly all goods; zero where only listed products pay.
    pub general: Decimal,
    /// Highest rate admitted.
    pub maximum: Decimal,
    pub nota: &'static str,
}

/// How the base of the DIFAL is made (LC 190/2022).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The operation's value for both states.
    Single,
    /// The destination's own rate is part of its base.
    Double,
}

/// Bases of the DIFAL a state uses.
#[derive(Debug, PartialEq, Eq)]
pub struct Difal {
    pub uf: &'static str,
    pub non_taxpayer: Base,
    pub taxpayer: Base,
    /// Doubts, in words.
    pub nota: &'static str,
}

impl Base {
    fn of(letter: &str) -> Option<Base> {
        match letter {
            "u" => Some(Base::Single),
            "d" => Some(Base::Double),
            _ => None,
        }
    }
}

/// General internal rate on a day; none when the table does not go that far
/// back.
pub fn internal(uf: &str, data: Date) -> Option<&'static Internal> {
    INTERNAL_RATES
        .range(|line| line.uf.cmp(uf))
        .iter()
        .rfind(|line| line.since.is_none_or(|since| since <= data))
}

/// Interstate rate, percent: 4 for imported goods (Res. SF 13/2012), else 7
/// from the South and Southeast without ES to the other regions and ES, 12
/// otherwise (Res. SF 22/1989). None within one state or for no state.
pub fn interstate(origin: &str, destination: &str, imported: bool) -> Option<Decimal> {
    const SOUTH_SOUTHEAST: [&str; 6] = ["MG", "PR", "RJ", "RS", "SC", "SP"];
    let both_exist = ufs::by_uf(origin).is_some() && ufs::by_uf(destination).is_some();
    if !both_exist || origin == destination {
        return None;
    }
    let descends = SOUTH_SOUTHEAST.contains(&origin) && !SOUTH_SOUTHEAST.contains(&destination);
    Some(Decimal::from(match (imported, descends) {
        (true, _) => 4,
        (false, true) => 7,
        (false, false) => 12,
    }))
}

/// Are goods of this origin under the 4 % rate between states? Content of
/// import above 40 % (3, 8) and foreign goods with a national like (1, 2).
pub fn imported_origin(origin: &str) -> bool {
    matches!(origin, "1" | "2" | "3" | "8")
}

/// Poverty fund of a state.
pub fn fcp(uf: &str) -> Option<&'static Fcp> {
    FCP.find(|line| line.uf.cmp(uf))
}

/// Bases of the DIFAL of the state of destination.
pub fn difal(uf: &str) -> Option<&'static Difal> {
    DIFAL.find(|line| line.uf.cmp(uf))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn every_state_is_there() {
        crate::table::check(&INTERNAL_RATES, |line| (line.uf, line.since));
        crate::table::check(&FCP, |line| line.uf);
        crate::table::check(&DIFAL, |line| line.uf);
        for uf in &ufs::UFS {
            assert!(
                internal(uf.abbreviation, date!(2026 - 11 - 20)).is_some(),
                "{uf:?}"
            );
            assert!(fcp(uf.abbreviation).is_some_and(|fcp| fcp.general <= fcp.maximum));
            assert!(difal(uf.abbreviation).is_some());
        }
    }

    #[test]
    fn rates_between_states() {
        let rate = |of, to, imported| interstate(of, to, imported).map(|rate| rate.to_string());
        assert_eq!(rate("SP", "BA", false).as_deref(), Some("7"));
        assert_eq!(rate("SP", "ES", false).as_deref(), Some("7"));
        assert_eq!(rate("ES", "SP", false).as_deref(), Some("12"));
        assert_eq!(rate("SP", "RS", false).as_deref(), Some("12"));
        assert_eq!(rate("BA", "SP", true).as_deref(), Some("4"));
        assert_eq!(rate("SP", "SP", false), None);
        assert_eq!(rate("SP", "EX", false), None);
    }

    #[test]
    fn a_rate_starts_on_its_day() {
        assert!(internal("AL", date!(2026 - 03 - 31)).is_none());
        assert!(internal("AL", date!(2026 - 04 - 01)).is_some());
        assert!(internal("SP", date!(2020 - 01 - 01)).is_some());
    }
}
