//! How the rate is divided among the taxes (art. 18 §1-B).

use data::simples::{Annex, Bracket, Tax};
use rust_decimal::{Decimal, RoundingStrategy};

/// The most of a month's revenue that goes to ISS, in percent (notes of annexes
/// III and IV of Complementary Law 123/2006).
const ISS_CAP: Decimal = Decimal::from_parts(5, 0, 0, false, 0);
const HUNDRED: Decimal = Decimal::from_parts(100, 0, 0, false, 0);

/// How the rest is divided where ISS is cut, in percent: note of annex III.
const REST_III: [(Tax, Decimal); 5] = [
    (Tax::Irpj, hundredths(602)),
    (Tax::Csll, hundredths(526)),
    (Tax::Cofins, hundredths(1928)),
    (Tax::Pis, hundredths(418)),
    (Tax::Cpp, hundredths(6526)),
];
/// The same of annex IV, whose CPP is paid apart.
const REST_IV: [(Tax, Decimal); 4] = [
    (Tax::Irpj, hundredths(3133)),
    (Tax::Csll, hundredths(3200)),
    (Tax::Cofins, hundredths(3013)),
    (Tax::Pis, hundredths(654)),
];

const fn hundredths(percent: u32) -> Decimal {
    Decimal::from_parts(percent, 0, 0, false, 2)
}

/// One tax's part of the rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub tax: Tax,
    /// Percent of the rate, four places.
    pub percent: Decimal,
    /// Percent of the month's revenue, six places.
    pub rate: Decimal,
}

/// The parts of an effective rate (percent, not rounded), and whether ISS was cut
/// at 5 % and the rest given to the federal taxes.
pub(super) fn shares(bracket: &Bracket, effective: Decimal) -> Option<(Vec<Share>, bool)> {
    if let Some(rest) = rest(bracket)
        && part(effective, bracket.share(Tax::Iss))? > ISS_CAP
    {
        return Some((capped(effective, rest)?, true));
    }
    let parts = Tax::ALL.into_iter().map(|tax| (tax, bracket.share(tax)));
    let parts = parts.filter(|(_, percent)| !percent.is_zero());
    let shares = parts.map(|(tax, percent)| {
        Some(Share {
            tax,
            percent: rounded(percent, 4),
            rate: rounded(part(effective, percent)?, 6),
        })
    });
    Some((shares.collect::<Option<Vec<Share>>>()?, false))
}

/// The note of the annex: of the fifth bracket alone, the only one in which ISS
/// passes its cap.
fn rest(bracket: &Bracket) -> Option<&'static [(Tax, Decimal)]> {
    match (bracket.annex, bracket.number) {
        (Annex::Iii, 5) => Some(&REST_III),
        (Annex::Iv, 5) => Some(&REST_IV),
        _ => None,
    }
}

/// ISS of 5 %, and (effective rate - 5 %) x the percentages of the note.
fn capped(effective: Decimal, rest: &[(Tax, Decimal)]) -> Option<Vec<Share>> {
    let above = effective.checked_sub(ISS_CAP)?;
    let mut rates = rest
        .iter()
        .map(|(tax, percent)| Some((*tax, part(above, *percent)?)))
        .collect::<Option<Vec<_>>>()?;
    rates.push((Tax::Iss, ISS_CAP));
    let shares = rates.into_iter().map(|(tax, rate)| {
        Some(Share {
            tax,
            percent: rounded(rate.checked_mul(HUNDRED)?.checked_div(effective)?, 4),
            rate: rounded(rate, 6),
        })
    });
    shares.collect()
}

fn part(rate: Decimal, percent: Decimal) -> Option<Decimal> {
    rate.checked_mul(percent)?.checked_div(HUNDRED)
}

fn rounded(value: Decimal, places: u32) -> Decimal {
    value.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero)
}
