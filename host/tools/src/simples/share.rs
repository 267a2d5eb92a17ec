//! How the rate is divided among the taxes (art. 18 §1-B).

use data::simples::{Annex, Bracket, Tax};
use rust_decimal::{Decimal, RoundingStrategy};

/// The most of a month's revenue that goes to ISS, in percent (notes of annexes
/// III, IV and V of Complementary Law 123/2006).
const ISS_CAP: Decimal = Decimal::from_parts(5, 0, 0, false, 0);
const HUNDRED: Decimal = Decimal::from_parts(100, 0, 0, false, 0);

/// One tax's part of the rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub tax: Tax,
    /// Percent of the rate, four places.
    pub percent: Decimal,
    /// Percent of the month's revenue, six places.
    pub rate: Decimal,
}

/// The parts of an effective rate (percent), and whether ISS was cut at 5 % and
/// the rest given to the federal taxes in proportion.
pub(super) fn shares(bracket: &Bracket, effective: Decimal) -> Option<(Vec<Share>, bool)> {
    let mut parts: Vec<(Tax, Decimal)> = Tax::ALL
        .into_iter()
        .map(|tax| (tax, bracket.share(tax)))
        .collect();
    parts.retain(|(_, percent)| !percent.is_zero());
    let capped = capped(bracket, effective, &mut parts)?;
    let shares = parts.into_iter().map(|(tax, percent)| {
        let rate = effective.checked_mul(percent)?.checked_div(HUNDRED)?;
        Some(Share {
            tax,
            percent: rounded(percent, 4),
            rate: rounded(rate, 6),
        })
    });
    Some((shares.collect::<Option<Vec<Share>>>()?, capped))
}

/// Cuts the part of ISS so that it is 5 % of the revenue.
fn capped(bracket: &Bracket, effective: Decimal, parts: &mut [(Tax, Decimal)]) -> Option<bool> {
    let with_cap = matches!(bracket.annex, Annex::Iii | Annex::Iv | Annex::V);
    let share = bracket.share(Tax::Iss);
    let iss = effective.checked_mul(share)?.checked_div(HUNDRED)?;
    if !with_cap || iss <= ISS_CAP {
        return Some(false);
    }
    let cut = ISS_CAP.checked_mul(HUNDRED)?.checked_div(effective)?;
    let (excess, others) = (share - cut, HUNDRED - share);
    for (tax, percent) in parts {
        *percent = if *tax == Tax::Iss {
            cut
        } else {
            percent.checked_add(excess.checked_mul(*percent)?.checked_div(others)?)?
        };
    }
    Some(true)
}

fn rounded(value: Decimal, places: u32) -> Decimal {
    value.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero)
}
