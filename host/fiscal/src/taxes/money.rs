//! Arithmetic of money and rates: exact, bounded, rounded half up as the MOC
//! does. Rates, reductions and margins are percent.

use markup::decimal;
use rust_decimal::{Decimal, RoundingStrategy};
use std::cmp::Ordering;

/// Bound of every intermediate result: beyond what any field holds (10^13),
/// far below where 990 of them would overflow a [`Decimal`].
pub const CAP: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);
pub const HUNDRED: Decimal = Decimal::ONE_HUNDRED;

/// Two decimals, commercial rounding (MOC, "arredondamento").
pub fn r2(value: Decimal) -> Decimal {
    round(value, 2)
}

/// Half up, away from zero.
pub fn round(value: Decimal, decimals: u32) -> Decimal {
    short(value, decimals, |_, half| half.is_ge()).unwrap_or_else(|| {
        value.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero)
    })
}

/// Half to even: IBS and CBS alone, as the calculator of the RFB has them.
pub fn even(value: Decimal, decimals: u32) -> Decimal {
    let up = |kept: u64, half: Ordering| half.is_gt() || half.is_eq() && kept % 2 == 1;
    short(value, decimals, up).unwrap_or_else(|| {
        value.round_dp_with_strategy(decimals, RoundingStrategy::MidpointNearestEven)
    })
}

/// A number whose digits fit a machine word, rounded as the library does it for any number, in
/// two divisions; none for zero and for longer ones. `up` is given the digits that
/// are kept and how the others compare to a half.
fn short(value: Decimal, decimals: u32, up: impl Fn(u64, Ordering) -> bool) -> Option<Decimal> {
    let digits = u64::try_from(value.mantissa().unsigned_abs()).ok()?;
    let less = value.scale().saturating_sub(decimals);
    if less == 0 {
        return Some(value);
    }
    let unit = 10_u64.checked_pow(less).filter(|_| digits > 0)?;
    let (kept, rest) = (digits / unit, digits % unit);
    let rounded = kept + u64::from(up(kept, rest.cmp(&(unit - rest))));
    let (low, middle) = (rounded as u32, (rounded >> 32) as u32);
    let negative = value.is_sign_negative();
    Some(Decimal::from_parts(low, middle, 0, negative, decimals))
}

fn clamped(value: Decimal) -> Decimal {
    /// Digits of [`CAP`]: what has fewer is below it, at any scale.
    const DIGITS: u128 = 1_000_000_000_000_000;
    if value.mantissa().unsigned_abs() < DIGITS {
        return value;
    }
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

/// The quotient by [`HUNDRED`], with the places that [`divided`] gives it: an item has half a
/// dozen taxes, and dividing any number by any other is most of what one costs.
pub fn by_hundred(value: Decimal) -> Decimal {
    /// With more places the library has no room to look for the last digit.
    const MOST_PLACES: u32 = 19;
    let short = || {
        let digits = u64::try_from(value.mantissa().unsigned_abs()).ok()?;
        // Of digits that end in so many binary zeros the library leaves other places; zero too.
        if digits.trailing_zeros() >= 24 || value.scale() > MOST_PLACES {
            return None;
        }
        let (digits, scale) = match digits.is_multiple_of(100) {
            true => (digits / 100, value.scale()),
            false => (digits, value.scale() + 2),
        };
        let (low, middle) = (digits as u32, (digits >> 32) as u32);
        let negative = value.is_sign_negative();
        Some(Decimal::from_parts(low, middle, 0, negative, scale))
    };
    short().map_or_else(|| divided(value, HUNDRED), clamped)
}

/// `rate` percent of a base, two decimals.
pub fn percent_of(base: Decimal, rate: Decimal) -> Decimal {
    r2(by_hundred(times(base, rate)))
}

/// A base less `reduction` percent, two decimals.
pub fn reduced_base(base: Decimal, reduction: Decimal) -> Decimal {
    r2(by_hundred(times(base, HUNDRED - reduction)))
}

/// What an amount is once a tax of `rate` percent is inside of it, two
/// decimals.
pub fn with_tax_inside(value: Decimal, rate: Decimal) -> Decimal {
    r2(divided(times(value, HUNDRED), HUNDRED - rate))
}

/// Reais by unit, two decimals.
pub fn by_unit(quantity: Decimal, amount: Decimal) -> Decimal {
    r2(times(quantity, amount))
}

/// What is left of an amount after another, two decimals; not below zero.
pub fn left_of(whole: Decimal, part: Decimal) -> Decimal {
    r2(whole - part).max(Decimal::ZERO)
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

/// A number as written with two decimals: `1234.50`.
pub fn f2(value: Decimal) -> String {
    fixed(value, 2)
}

/// A number as written with four decimals: `18.0000`.
pub fn f4(value: Decimal) -> String {
    fixed(value, 4)
}

/// A number as written with so many decimals.
pub fn fixed(value: Decimal, decimals: u32) -> String {
    decimal::with_places(unsigned_zero(round(value, decimals)), decimals)
}

/// Sums that end in nothing may end in minus nothing.
fn unsigned_zero(value: Decimal) -> Decimal {
    if value.is_zero() { value.abs() } else { value }
}

/// A number as written with `minimum` to `maximum` decimals, no zeros beyond
/// the minimum.
pub fn variable(value: Decimal, minimum: u32, maximum: u32) -> String {
    decimal::without_zeros(unsigned_zero(round(value, maximum)), minimum)
}
