//! ICMS of the operation itself (LC 87/1996), its rate between states, and the
//! poverty fund (FCP).

use super::money::{f2, percent_of, plus, reduced_base, with_tax_inside};
use super::step::{Charge, Impossible, Step, amount, charge, inside, part, product, shown};
use rust_decimal::Decimal;

const INSIDE: &str = "LC 87/1996, art. 13, § 1º, I";
const AMOUNT: &str = "LC 87/1996, art. 13; MOC da NF-e, vICMS = vBC x pICMS";
const FCP: &str = "ADCT, art. 82, § 1º";
const BETWEEN: &str = "Resolução do Senado 22/1989";
const IMPORTED: &str = "Resolução do Senado 13/2012";

/// Value of the operation: goods, freight, insurance and charges, less the
/// discount (LC 87/1996 art. 13 §1 II).
pub fn operation(added: [Decimal; 4], discount: Decimal) -> Decimal {
    let sum = added.into_iter().fold(Decimal::ZERO, plus);
    plus(sum, -discount).max(Decimal::ZERO)
}

/// An operation of which ICMS is charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    pub value: Decimal,
    pub rate: Decimal,
    /// Percent that is taken off the base.
    pub reduction: Decimal,
    /// The value is without the tax, which has to be put into the base.
    pub without_tax: bool,
}

/// ICMS of the operation.
///
/// # Errors
/// Negative or too large numbers, a rate of 100 % or more.
pub fn own(own: &Own) -> Result<Charge, Impossible> {
    let value = amount("value", own.value)?;
    let rate = inside("rate", own.rate)?;
    let reduction = part("reduction", own.reduction)?;
    let mut steps = Vec::new();
    let mut base = value;
    if own.without_tax {
        base = with_tax_inside(value, rate);
        let formula = format!("{} / (1 - {}) = {}", f2(value), shown(rate), f2(base));
        steps.push(Step::new("icms_por_dentro", formula, INSIDE));
    }
    if !reduction.is_zero() {
        let (whole, reduced) = (base, reduced_base(base, reduction));
        base = reduced;
        let formula = format!("{} x (1 - {}) = {}", f2(whole), shown(reduction), f2(base));
        steps.push(Step::new(
            "icms_base_reduzida",
            formula,
            "CF, art. 155, § 2º, XII, g; LC 24/1975",
        ));
    }
    let value = percent_of(base, rate);
    steps.push(Step::new("icms", product(base, rate, value), AMOUNT));
    charge(base, rate, value, steps)
}

/// The poverty fund over a base.
///
/// # Errors
/// Negative or too large numbers, a rate of 100 % or more.
pub fn fcp(base: Decimal, rate: Decimal) -> Result<Charge, Impossible> {
    let base = amount("base", base)?;
    let rate = inside("fcp", rate)?;
    let value = percent_of(base, rate);
    let step = Step::new("fcp", product(base, rate, value), FCP);
    charge(base, rate, value, vec![step])
}

/// Rate between two states for goods of an origin (`orig`, 0 to 8); none
/// within one state or for no state.
pub fn between(origin: &str, destination: &str, goods: &str) -> Option<(Decimal, Step)> {
    let imported = data::icms::imported_origin(goods);
    let rate = data::icms::interstate(origin, destination, imported)?;
    let (why, ground) = match imported {
        true => (format!(", origem {goods}"), IMPORTED),
        false => (String::new(), BETWEEN),
    };
    let formula = format!("{origin} para {destination}{why}: {}", shown(rate));
    Some((rate, Step::new("aliquota_interestadual", formula, ground)))
}
