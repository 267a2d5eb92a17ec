//! What a formula gives: amounts with the way they came about, or why there
//! are none.

use super::money::{f2, variable};
use rust_decimal::Decimal;

/// Most an amount may be, 10^12: its products stay within `money::CAP`.
pub const MAX_AMOUNT: Decimal = Decimal::from_parts(3_567_587_328, 232, 0, false, 0);
/// What bases and taxes stay below, 10^13: the same.
const LARGEST: Decimal = Decimal::from_parts(1_316_134_912, 2_328, 0, false, 0);
/// Most a rate, a margin or a price by unit may be. The highest in force: 300 % of IPI.
pub const MAX_FACTOR: Decimal = Decimal::from_parts(900, 0, 0, false, 0);

/// One step of a calculation, as a customer may read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Stable name of the rule, such as `icms_por_dentro`.
    pub rule: &'static str,
    /// The rule with its numbers: `820.00 / (1 - 18.00%) = 1000.00`.
    pub formula: String,
    /// Law, convênio or technical note the rule is of.
    pub ground: &'static str,
}

/// One tax of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Reais; a quantity, where the tax is by unit.
    pub base: Decimal,
    /// Percent; reais, where the tax is by unit.
    pub rate: Decimal,
    /// Reais, two decimals.
    pub value: Decimal,
    pub steps: Vec<Step>,
}

/// An input no tax can be worked out of; each names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    #[error("{0} is negative")]
    Negative(&'static str),
    #[error("{0} is 100 % or more, of a base that the tax is part of")]
    WholeBase(&'static str),
    #[error("{0} is more than 100 %")]
    MoreThanAll(&'static str),
    #[error("{0} is too large")]
    TooLarge(&'static str),
}

impl Step {
    pub(super) fn new(rule: &'static str, formula: String, ground: &'static str) -> Step {
        Step {
            rule,
            formula,
            ground,
        }
    }
}

/// A charge whose amounts are in bounds.
///
/// # Errors
/// An amount beyond them: a product was cut off, or would be.
pub(super) fn charge(
    base: Decimal,
    rate: Decimal,
    value: Decimal,
    steps: Vec<Step>,
) -> Result<Charge, Impossible> {
    if base >= LARGEST || value >= LARGEST {
        return Err(Impossible::TooLarge("base"));
    }
    Ok(Charge {
        base,
        rate,
        value,
        steps,
    })
}

/// Reais or a quantity.
pub(super) fn amount(name: &'static str, value: Decimal) -> Result<Decimal, Impossible> {
    within(name, value, MAX_AMOUNT)
}

/// Percent that may be more than all of it, or reais by unit.
pub(super) fn factor(name: &'static str, value: Decimal) -> Result<Decimal, Impossible> {
    within(name, value, MAX_FACTOR)
}

/// Percent of a tax that is part of its own base: less than all of it.
pub(super) fn inside(name: &'static str, rate: Decimal) -> Result<Decimal, Impossible> {
    match within(name, rate, MAX_AMOUNT)? {
        rate if rate >= Decimal::ONE_HUNDRED => Err(Impossible::WholeBase(name)),
        rate => Ok(rate),
    }
}

/// Percent that is taken off: at most all of it.
pub(super) fn part(name: &'static str, percent: Decimal) -> Result<Decimal, Impossible> {
    match within(name, percent, MAX_AMOUNT)? {
        percent if percent > Decimal::ONE_HUNDRED => Err(Impossible::MoreThanAll(name)),
        percent => Ok(percent),
    }
}

fn within(name: &'static str, value: Decimal, most: Decimal) -> Result<Decimal, Impossible> {
    if value.is_sign_negative() && !value.is_zero() {
        return Err(Impossible::Negative(name));
    }
    if value > most {
        return Err(Impossible::TooLarge(name));
    }
    Ok(value)
}

/// A rate as formulas show it: `18.00%`.
pub(super) fn shown(rate: Decimal) -> String {
    format!("{}%", variable(rate, 2, 4))
}

/// `base x rate = value`.
pub(super) fn product(base: Decimal, rate: Decimal, value: Decimal) -> String {
    format!("{} x {} = {}", f2(base), shown(rate), f2(value))
}
