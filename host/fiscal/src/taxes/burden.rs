//! Approximate burden of taxes that consumers are told (Lei 12.741/2012), by
//! the rates of the IBPT.

use super::money::{f2, percent_of, plus};
use super::step::{Impossible, Step, amount, factor, product};
use rust_decimal::Decimal;

const GROUND: &str = "Lei 12.741/2012, art. 1º; Decreto 8.264/2014";

/// Rates of a row of the table, percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// For national or for imported goods, as they are.
    pub federal: Decimal,
    pub state: Decimal,
    pub municipal: Decimal,
}

/// What of a price is taxes, reais.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Burden {
    pub base: Decimal,
    /// All rates together.
    pub rate: Decimal,
    pub federal: Decimal,
    pub state: Decimal,
    pub municipal: Decimal,
    /// The sum of the three.
    pub value: Decimal,
    pub steps: Vec<Step>,
}

/// The burden of a price.
///
/// # Errors
/// Negative or too large numbers.
pub fn burden(price: Decimal, rates: &Rates) -> Result<Burden, Impossible> {
    let base = amount("price", price)?;
    let mut steps = Vec::new();
    let mut part = |rule, rate| {
        let rate = factor(rule, rate)?;
        let value = percent_of(base, rate);
        steps.push(Step::new(rule, product(base, rate, value), GROUND));
        Ok(value)
    };
    let federal = part("carga_federal", rates.federal)?;
    let state = part("carga_estadual", rates.state)?;
    let municipal = part("carga_municipal", rates.municipal)?;
    let value = plus(plus(federal, state), municipal);
    let sum = [federal, state, municipal].map(f2).join(" + ");
    steps.push(Step::new(
        "carga_total",
        format!("{sum} = {}", f2(value)),
        GROUND,
    ));
    Ok(Burden {
        base,
        rate: plus(plus(rates.federal, rates.state), rates.municipal),
        federal,
        state,
        municipal,
        value,
        steps,
    })
}
