//! Arithmetic of a note: that of money, with the numbers of a request and the
//! tolerance of the authority.

pub use fiscal::taxes::money::{
    CAP, HUNDRED, apportion, by_unit, divided, f2, f4, fixed, left_of, percent_of, plus, r2,
    reduced_base, round, times, variable, with_tax_inside,
};

use fiscal::nfe::order::Number;
use rust_decimal::Decimal;

/// Tolerance of the authority's rules.
pub(super) const TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

pub(super) fn dec(number: Option<Number>) -> Option<Decimal> {
    number.map(|number| *number)
}
