//! How long after authorisation a note may be cancelled by event.

use time::Date;

use crate::table::{Table, Validity};

pub(crate) static TABLE: Table<Janela> =
    Table::new(include_str!("../../tables/cancelamento.tsv"), |c| {
        Some(Janela {
            uf: c.text()?,
            model: c.number()?,
            minutes: c.number()?,
            late: match c.text()? {
                "0" => Late::Nao,
                "-" => Late::NoKnownLimit,
                minutes => Late::UpTo(minutes.parse().ok()?),
            },
            validity: c.validity()?,
            source: c.text()?,
        })
    });

/// The window of a state for a model.
#[derive(Debug, PartialEq, Eq)]
pub struct Janela {
    /// `BR` where one rule holds in all states.
    pub uf: &'static str,
    /// 55, 57, 58 or 65.
    pub model: u8,
    /// In time: minutes from authorisation.
    pub minutes: u32,
    pub late: Late,
    pub validity: Validity,
    /// Where it is from; says so when it is not confirmed.
    pub source: &'static str,
}

/// Does the authority take requests after the window (cStat 151, 155)?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    Nao,
    /// Minutes from authorisation.
    UpTo(u32),
    NoKnownLimit,
}

/// The window in force on a day (of authorisation).
pub fn get(uf: &str, model: u8, data: Date) -> Option<&'static Janela> {
    let of = |uf: &str| {
        TABLE
            .range(|line| (line.uf, line.model).cmp(&(uf, model)))
            .iter()
            .find(|line| line.validity.contains(data))
    };
    of(uf).or_else(|| of("BR"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    const TODAY: Date = date!(2026 - 11 - 20);

    #[test]
    fn every_state_has_a_window() {
        let lines = crate::table::check(&TABLE, |line| (line.uf, line.model, line.validity.start));
        assert_eq!(lines, 56);
        for uf in &crate::places::ufs::UFS {
            assert!(get(uf.abbreviation, 55, TODAY).is_some_and(|janela| janela.minutes >= 1440));
            assert!(get(uf.abbreviation, 65, TODAY).is_some_and(|janela| janela.minutes >= 30));
        }
    }

    #[test]
    fn states_that_differ() {
        assert_eq!(get("AL", 55, TODAY).map(|j| j.minutes), Some(168 * 60));
        assert_eq!(
            get("SP", 55, TODAY).map(|j| j.late),
            Some(Late::UpTo(480 * 60))
        );
        assert_eq!(get("RO", 65, TODAY).map(|j| j.minutes), Some(24 * 60));
        assert!(get("PR", 65, TODAY).is_some_and(|j| j.late == Late::Nao));
        assert_eq!(get("SP", 59, TODAY), None);
    }

    #[test]
    fn transport_documents_have_one_window_in_all_states() {
        for uf in ["AC", "MG", "TO"] {
            assert_eq!(get(uf, 57, TODAY).map(|j| j.minutes), Some(168 * 60));
            assert_eq!(get(uf, 58, TODAY).map(|j| j.minutes), Some(24 * 60));
        }
    }
}
