//! Plates of vehicles: in which state the first registration was made. A plate
//! stays when the vehicle moves, and series since 2018 are not published.

use crate::table::Table;

pub(crate) static TABLE: Table<Series> = Table::new(include_str!("../../tables/placas.tsv"), |c| {
    Some(Series {
        first: c.text()?,
        last: c.text()?,
        uf: c.optional()?,
        since: c.optional()?,
    })
});

/// A run of plates that a state was given.
#[derive(Debug, PartialEq, Eq)]
pub struct Series {
    /// Three letters.
    pub first: &'static str,
    pub last: &'static str,
    /// None: not published.
    pub uf: Option<&'static str>,
    /// The month it began, `AAAA-MM`.
    pub since: Option<&'static str>,
}

/// The series a plate is in: its first three letters, in capitals, decide. None
/// for letters that were never given out, as far as is known.
pub fn range_of(prefix: &str) -> Option<&'static Series> {
    let letters = prefix.get(..3)?;
    let series = all();
    let next = series.partition_point(|series| series.first <= letters);
    series
        .get(next.checked_sub(1)?)
        .filter(|series| letters <= series.last)
}

/// All series, by letters.
pub fn all() -> &'static [Series] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::ufs;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.first), 134);
        for series in all() {
            assert!(series.first <= series.last, "{series:?}");
            assert!(series.uf.is_none_or(|uf| ufs::by_uf(uf).is_some()));
        }
        assert!(all().is_sorted_by(|a, b| a.last < b.first));
    }

    #[test]
    fn letters_lead_to_a_state() {
        let uf = |plate| range_of(plate).map(|series| series.uf);
        assert_eq!(uf("AAA"), Some(Some("PR")));
        assert_eq!(uf("BEZ9A99"), Some(Some("PR")));
        assert_eq!(uf("BFA"), Some(Some("SP")));
        assert_eq!(uf("HQE1234"), Some(Some("MA")));
        assert_eq!(uf("RAB"), Some(None));
        assert_eq!(uf("ZZZ"), None);
        assert_eq!(uf("AB"), None);
        assert_eq!(uf("abc"), None);
        assert_eq!(uf("1ÁÇ"), None);
        assert_eq!(
            range_of("LVF").and_then(|series| series.since),
            Some("1996-04")
        );
    }
}
