//! Postal codes (CEP): which municipality and state a range belongs to (ranges
//! of the Correios, September 2024). Streets are not here.

use crate::table::Table;

pub(crate) static CITIES: Table<CityRange> =
    Table::new(include_str!("../../tables/cep.tsv"), |c| {
        Some(CityRange {
            first: c.number()?,
            last: c.number()?,
            municipality: c.number()?,
            by_street: c.mark()?,
        })
    });

pub(crate) static STATES: Table<StateRange> =
    Table::new(include_str!("../../tables/cep_ufs.tsv"), |c| {
        Some(StateRange {
            first: c.number()?,
            last: c.number()?,
            uf: c.text()?,
        })
    });

/// Postal codes of a municipality.
#[derive(Debug, PartialEq, Eq)]
pub struct CityRange {
    pub first: u32,
    pub last: u32,
    /// IBGE code.
    pub municipality: u32,
    /// Streets have codes of their own; otherwise one code serves the whole
    /// town.
    pub by_street: bool,
}

/// Postal codes of a state.
#[derive(Debug, PartialEq, Eq)]
pub struct StateRange {
    pub first: u32,
    pub last: u32,
    pub uf: &'static str,
}

/// The range of a municipality that a code of eight digits is in. Codes of Boa
/// Esperança do Norte (MT) are answered as those of its neighbours.
pub fn city_of(cep: u32) -> Option<&'static CityRange> {
    let ranges = CITIES.lines();
    let next = ranges.partition_point(|range| range.first <= cep);
    ranges
        .get(next.checked_sub(1)?)
        .filter(|range| cep <= range.last)
}

/// The state of a code of eight digits.
pub fn uf_of(cep: u32) -> Option<&'static str> {
    let ranges = STATES.lines();
    let next = ranges.partition_point(|range| range.first <= cep);
    let range = ranges.get(next.checked_sub(1)?)?;
    (cep <= range.last).then_some(range.uf)
}

/// The ranges of a municipality, the lowest first: most have one.
pub fn ranges_of(municipality: u32) -> impl Iterator<Item = &'static CityRange> {
    let ranges = CITIES.lines().iter();
    ranges.filter(move |range| range.municipality == municipality)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::municipalities;
    use std::collections::BTreeSet;

    #[test]
    fn the_tables_are_whole() {
        assert_eq!(crate::table::check(&CITIES, |line| line.first), 5584);
        assert_eq!(crate::table::check(&STATES, |line| line.first), 30);
        assert!(CITIES.lines().is_sorted_by(|a, b| a.last < b.first));
        assert!(STATES.lines().is_sorted_by(|a, b| a.last < b.first));
        for range in CITIES.lines() {
            let municipality = municipalities::get(range.municipality);
            let uf = municipality.and_then(|found| found.uf()).expect("exists");
            assert!(range.first <= range.last, "{range:?}");
            assert_eq!(uf_of(range.first), Some(uf.abbreviation), "{range:?}");
            assert_eq!(uf_of(range.last), Some(uf.abbreviation), "{range:?}");
        }
        let known: BTreeSet<u32> = CITIES.lines().iter().map(|r| r.municipality).collect();
        let missing = municipalities::all().iter().map(|m| m.codigo);
        let missing: Vec<u32> = missing.filter(|codigo| !known.contains(codigo)).collect();
        assert_eq!(missing, [5_101_837]);
    }

    #[test]
    fn a_code_leads_to_its_city() {
        let city = |cep| city_of(cep).map(|range| range.municipality);
        assert_eq!(city(1_001_000), Some(3_550_308));
        assert_eq!(city(5_999_999), Some(3_550_308));
        assert_eq!(city(6_000_000), Some(3_534_401));
        assert_eq!(city(70_040_010), Some(5_300_108));
        assert_eq!(city(89_500_000), Some(4_203_006));
        assert_eq!(city(0), None);
        assert_eq!(city(999_999), None);
        assert_eq!(uf_of(1_001_000), Some("SP"));
        assert_eq!(uf_of(72_800_000), Some("GO"));
        assert_eq!(uf_of(0), None);
        assert_eq!(uf_of(100_000_000), None);
        assert_eq!(ranges_of(3_550_308).count(), 2);
    }
}
