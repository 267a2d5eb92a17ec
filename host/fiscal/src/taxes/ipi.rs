//! IPI, over the value of the operation or by unit (Decreto 7.212/2010).

use super::money::{by_unit, f2, percent_of};
use super::step::{Charge, Impossible, Step, amount, charge, factor, product};
use rust_decimal::Decimal;

const BY_VALUE: &str =
    "Decreto 7.212/2010 (RIPI), art. 190, II; sem o desconto incondicional (STF, Tema 84)";
const BY_UNIT: &str = "Decreto 7.212/2010 (RIPI), art. 189, parágrafo único";

/// IPI over what the operation is worth: price, freight and charges, less the
/// unconditional discount.
///
/// # Errors
/// Negative or too large numbers.
pub fn by_value(operation: Decimal, rate: Decimal) -> Result<Charge, Impossible> {
    let base = amount("operation", operation)?;
    let rate = factor("rate", rate)?;
    let value = percent_of(base, rate);
    let step = Step::new("ipi", product(base, rate, value), BY_VALUE);
    charge(base, rate, value, vec![step])
}

/// IPI in reais by unit.
///
/// # Errors
/// Negative or too large numbers.
pub fn per_unit(quantity: Decimal, by: Decimal) -> Result<Charge, Impossible> {
    let quantity = amount("quantity", quantity)?;
    let by = factor("by_unit", by)?;
    let value = by_unit(quantity, by);
    let formula = format!(
        "{} x R$ {} = {}",
        quantity.normalize(),
        by.normalize(),
        f2(value)
    );
    let step = Step::new("ipi_por_unidade", formula, BY_UNIT);
    charge(quantity, by, value, vec![step])
}
