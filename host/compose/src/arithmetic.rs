//! Arithmetic of money: exact, bounded, rounded as the MOC does.

use fiscal::nfe::order::Number;
use rust_decimal::{Decimal, RoundingStrategy};

/// Bound of every intermediate result: beyond what any field holds (10^13),
/// far below where 990 of them would overflow a [`Decimal`].
pub const CAP: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);
pub(super) const HUNDRED: Decimal = Decimal::ONE_HUNDRED;
/// Tolerance of the authority's rules.
pub(super) const TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Two decimals, commercial rounding (MOC, "arredondamento").
pub(super) fn r2(value: Decimal) -> Decimal {
    round(value, 2)
}

pub(super) fn round(value: Decimal, decimals: u32) -> Decimal {
    value.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero)
}

fn clamped(value: Decimal) -> Decimal {
    value.clamp(-CAP, CAP)
}

/// The sum, at most [`CAP`] either way; never minus zero.
pub fn plus(a: Decimal, b: Decimal) -> Decimal {
    unsigned_zero(a.checked_add(b).map_or(CAP, clamped))
}

/// The product, at most [`CAP`] either way.
pub fn times(a: Decimal, b: Decimal) -> Decimal {
    a.checked_mul(b).map_or(CAP, clamped)
}

/// The quotient, at most [`CAP`] either way; zero when there is nothing to
/// divide by.
pub fn divided(a: Decimal, b: Decimal) -> Decimal {
    a.checked_div(b).map_or(Decimal::ZERO, clamped)
}

/// `rate` percent of a base, two decimals.
pub(super) fn percent_of(base: Decimal, rate: Decimal) -> Decimal {
    r2(divided(times(base, rate), HUNDRED))
}

/// A base less `reducao` percent, two decimals.
pub(super) fn reduced_base(base: Decimal, reduction: Decimal) -> Decimal {
    r2(divided(times(base, HUNDRED - reduction), HUNDRED))
}

/// Shares an amount out by weight; the parts have two decimals and add up to
/// it exactly.
pub fn apportion(total: Decimal, weights: &[Decimal]) -> Vec<Decimal> {
    let sum = weights
        .iter()
        .fold(Decimal::ZERO, |sum, weight| plus(sum, *weight));
    let mut accumulated = Decimal::ZERO;
    let mut already_given = Decimal::ZERO;
    weights
        .iter()
        .map(|weight| {
            accumulated = plus(accumulated, *weight);
            let so_far = r2(divided(times(total, accumulated), sum));
            let part = so_far - already_given;
            already_given = so_far;
            part
        })
        .collect()
}

pub(super) fn dec(number: Option<Number>) -> Option<Decimal> {
    number.map(|number| *number)
}

/// A number as written with two decimals: `1234.50`.
pub fn f2(value: Decimal) -> String {
    fixed(value, 2)
}

/// A number as written with four decimals: `18.0000`.
pub fn f4(value: Decimal) -> String {
    fixed(value, 4)
}

pub(super) fn fixed(value: Decimal, decimals: u32) -> String {
    let mut value = unsigned_zero(round(value, decimals));
    value.rescale(decimals);
    value.to_string()
}

/// Sums that end in nothing may end in minus nothing.
fn unsigned_zero(value: Decimal) -> Decimal {
    if value.is_zero() { value.abs() } else { value }
}

/// A number as written with `minimum` to `maximum` decimals, no zeros beyond
/// the minimum.
pub fn variable(value: Decimal, minimum: u32, maximum: u32) -> String {
    let mut value = unsigned_zero(round(value, maximum)).normalize();
    if value.scale() < minimum {
        value.rescale(minimum);
    }
    value.to_string()
}
