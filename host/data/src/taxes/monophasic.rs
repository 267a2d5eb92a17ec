//! PIS and COFINS that the producer or importer pays for the whole chain:
//! dealers further on have a rate of zero (Leis 9.718/1998, 10.147/2000,
//! 10.485/2002 and 13.097/2015; EFD-Contribuições, table 4.3.10).
//!
//! The lists are of 2021 and name some codes that have left the NCM since then:
//! goods that are not here may be under such a regime.

use rust_decimal::Decimal;

use crate::table::Table;

pub(crate) static REGIMES: Table<Regime> =
    Table::new(include_str!("../../tables/monofasicos.tsv"), |c| {
        Some(Regime {
            codigo: c.number()?,
            group: c.text()?,
            pis: c.decimal()?,
            cofins: c.decimal()?,
            except: c.words()?,
            description: c.text()?,
        })
    });

pub(crate) static PREFIXES: Table<Prefix> =
    Table::new(include_str!("../../tables/monofasicos_ncm.tsv"), |c| {
        Some(Prefix {
            ncm: c.text()?,
            ex: c.optional()?,
            regimes: c
                .words()?
                .into_iter()
                .map(|codigo| codigo.parse().ok())
                .collect::<Option<Vec<u16>>>()?,
        })
    });

/// A regime: who sells what to whom.
#[derive(Debug, PartialEq, Eq)]
pub struct Regime {
    /// Of table 4.3.10, three digits.
    pub codigo: u16,
    /// `combustiveis`, `farmaceuticos`, `perfumaria_higiene`,
    /// `veiculos_maquinas`, `autopecas`, `pneus` or `bebidas_frias`.
    pub group: &'static str,
    /// Rate of the producer or importer, percent.
    pub pis: Decimal,
    pub cofins: Decimal,
    pub description: &'static str,
    /// NCM that it leaves out.
    except: Vec<&'static str>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    ncm: &'static str,
    ex: Option<&'static str>,
    regimes: Vec<u16>,
}

/// A regime that goods may be under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub regime: &'static Regime,
    /// Only goods in this exception ("Ex") of the TIPI; none: all of the NCM.
    pub ex: Option<&'static str>,
}

/// The regime of a code of table 4.3.10.
pub fn get(codigo: u16) -> Option<&'static Regime> {
    REGIMES.find(|line| line.codigo.cmp(&codigo))
}

/// Regimes that name this NCM of eight digits, or a heading of it. Which one
/// applies depends on the seller, the buyer and the package.
pub fn by_ncm(ncm: &str) -> Vec<Candidate> {
    let lengths = 2..=ncm.len().min(8);
    let prefixes = lengths.filter_map(|length| ncm.get(..length));
    let lines = prefixes.flat_map(|prefix| PREFIXES.range(|line| line.ncm.cmp(prefix)));
    let candidates = lines.flat_map(|line| {
        let regimes = line.regimes.iter().filter_map(|codigo| get(*codigo));
        regimes.map(|regime| Candidate {
            regime,
            ex: line.ex,
        })
    });
    candidates
        .filter(|candidate| !candidate.regime.except.contains(&ncm))
        .collect()
}

/// Do the lists name this NCM, or a heading of it, as a whole? False where they
/// name an exception ("Ex") of the TIPI only.
pub fn is_monophasic(ncm: &str) -> bool {
    by_ncm(ncm).iter().any(|candidate| candidate.ex.is_none())
}

/// All regimes, by code.
pub fn all() -> &'static [Regime] {
    REGIMES.lines()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::check;

    fn dec(text: &str) -> Decimal {
        text.parse().expect(text)
    }

    #[test]
    fn the_tables_are_whole() {
        assert_eq!(check(&REGIMES, |line| line.codigo), 44);
        assert_eq!(check(&PREFIXES, |line| (line.ncm, line.ex)), 114);
        for line in PREFIXES.lines() {
            assert!(!line.regimes.is_empty(), "{line:?}");
            for regime in &line.regimes {
                assert!(get(*regime).is_some(), "{line:?}");
            }
        }
    }

    #[test]
    fn an_ncm_leads_to_its_regimes() {
        let gasoline = by_ncm("27101259");
        assert_eq!(gasoline.len(), 1);
        assert!(gasoline.iter().all(|found| {
            let regime = found.regime;
            regime.codigo == 101 && (regime.pis, regime.cofins) == (dec("5.08"), dec("23.44"))
        }));
        assert!(is_monophasic("40111000"));
        assert!(is_monophasic("22021000"));
        assert!(is_monophasic("33051000"));
        assert!(!is_monophasic("17019900"));
        assert!(!is_monophasic(""));
        assert!(!is_monophasic("ééé"));
    }

    #[test]
    fn what_is_left_out_is_not_under_it() {
        assert!(is_monophasic("30049099"));
        assert!(!is_monophasic("30049046"));
        let goods = by_ncm("40169990");
        assert!(!goods.is_empty() && goods.iter().all(|found| found.ex.is_some()));
        assert!(!is_monophasic("40169990"));
    }
}
