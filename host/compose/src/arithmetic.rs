//! Arithmetic of money: exact, bounded, rounded as the MOC does.

use fiscal::nfe::order::Number;
use rust_decimal::{Decimal, RoundingStrategy};

/// Bound of every intermediate result: beyond what any field holds (10^13),
/// far below where 990 of them would overflow a [`Decimal`].
const CAP: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);
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

pub(super) fn plus(a: Decimal, b: Decimal) -> Decimal {
    unsigned_zero(a.checked_add(b).map_or(CAP, clamped))
}

pub(super) fn times(a: Decimal, b: Decimal) -> Decimal {
    a.checked_mul(b).map_or(CAP, clamped)
}

/// Zero when there is nothing to divide by.
pub(super) fn divided(a: Decimal, b: Decimal) -> Decimal {
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
pub(super) fn apportion(total: Decimal, weights: &[Decimal]) -> Vec<Decimal> {
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

/// `1234.50`.
pub(super) fn f2(value: Decimal) -> String {
    fixed(value, 2)
}

/// `18.0000`.
pub(super) fn f4(value: Decimal) -> String {
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

/// From `minimo` to `maximo` decimals, no zeros beyond the minimum.
pub(super) fn variable(value: Decimal, minimum: u32, maximum: u32) -> String {
    let mut value = unsigned_zero(round(value, maximum)).normalize();
    if value.scale() < minimum {
        value.rescale(minimum);
    }
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        text.parse().expect(text)
    }

    #[test]
    fn shares_add_up() {
        for (total, weights) in [
            ("10.00", vec!["1", "1", "1"]),
            ("0.01", vec!["3", "3", "3", "3"]),
            ("99.99", vec!["0.01", "1234567.89", "0"]),
            ("7", vec!["0", "0", "5"]),
        ] {
            let weights: Vec<Decimal> = weights.into_iter().map(d).collect();
            let parts = apportion(d(total), &weights);
            assert_eq!(parts.iter().sum::<Decimal>(), d(total));
            assert!(parts.iter().all(|part| !part.is_sign_negative()));
        }
    }

    #[test]
    fn nothing_overflows() {
        let large = d("9999999999999.9999999999");
        assert_eq!(times(times(large, large), large), CAP);
        assert_eq!(CAP, Decimal::from(1_000_000_000_000_000_i64));
        let sum = (0..100_000).fold(Decimal::ZERO, |sum, _| plus(sum, CAP));
        assert_eq!(sum, CAP);
        assert_eq!(divided(large, Decimal::ZERO), Decimal::ZERO);
        assert_eq!(divided(large, d("0.0000000001")), CAP);
    }

    #[test]
    fn rounding_is_half_up() {
        assert_eq!(f2(d("0.005")), "0.01");
        assert_eq!(f2(d("2.675")), "2.68");
        assert_eq!(f2(Decimal::ZERO - d("0.001")), "0.00");
        assert_eq!(variable(-Decimal::ZERO, 0, 4), "0");
        assert_eq!(f4(d("18")), "18.0000");
        assert_eq!(variable(d("2.000"), 0, 4), "2");
        assert_eq!(variable(d("4.9"), 2, 10), "4.90");
        assert_eq!(variable(d("4.98765432109"), 2, 10), "4.9876543211");
    }
}
