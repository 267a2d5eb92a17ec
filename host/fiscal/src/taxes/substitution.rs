//! ICMS by substitution over the operations that follow (LC 87/1996 art. 8,
//! Convênio ICMS 142/2018).

use super::money::{HUNDRED, divided, f2, left_of, percent_of, plus, reduced_base, round, times};
use super::step::{Charge, Impossible, Step, amount, charge, factor, inside, part, shown};
use rust_decimal::Decimal;

const MARGIN: &str = "Fórmula dos convênios e protocolos de ST e do RICMS do destino: {[(1 + MVA original) x (1 - ALQ inter) / (1 - ALQ intra)] - 1} x 100";
const BASE: &str = "LC 87/1996, art. 8º, II; Convênio ICMS 142/2018, cláusula décima primeira";
const LIST: &str =
    "LC 87/1996, art. 8º, §§ 2º e 6º; Convênio ICMS 142/2018, cláusula décima primeira";
const VALUE: &str = "LC 87/1996, art. 8º, § 5º; Convênio ICMS 142/2018";
const FCP: &str = "ADCT, art. 82, § 1º; NT 2016.002, vFCPST";

/// The margin that makes up for a lower rate between the states: percent with
/// two decimals. Where the internal rate is not above the other there is
/// nothing to make up for, and the original margin stays.
///
/// # Errors
/// Negative or too large numbers, a rate of 100 % or more.
pub fn adjusted_margin(
    original: Decimal,
    inter: Decimal,
    internal: Decimal,
) -> Result<(Decimal, Step), Impossible> {
    let original = factor("margin", original)?;
    let inter = inside("inter", inter)?;
    let internal = inside("internal", internal)?;
    if internal <= inter {
        let margin = round(original, 2);
        let formula = format!(
            "{} não passa de {}: {}",
            shown(internal),
            shown(inter),
            shown(margin)
        );
        return Ok((margin, Step::new("mva_original", formula, MARGIN)));
    }
    let product = times(plus(HUNDRED, original), HUNDRED - inter);
    let margin = round(divided(product, HUNDRED - internal) - HUNDRED, 2);
    factor("margin", margin)?;
    let formula = format!(
        "(1 + {}) x (1 - {}) / (1 - {}) - 1 = {}",
        shown(original),
        shown(inter),
        shown(internal),
        shown(margin)
    );
    Ok((margin, Step::new("mva_ajustada", formula, MARGIN)))
}

/// The operation with its margin, less a reduction; two decimals.
pub fn base(operation: Decimal, margin: Decimal, reduction: Decimal) -> Decimal {
    let with_margin = divided(times(operation, HUNDRED + margin), HUNDRED);
    reduced_base(with_margin, reduction)
}

/// What the base of the substitution is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Goods, freight, insurance, IPI and charges, and the margin over them.
    Margin { operation: Decimal, margin: Decimal },
    /// A price to consumers that the state fixed, by unit.
    List { quantity: Decimal, price: Decimal },
}

/// An operation of which ICMS is withheld for those that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Substitution {
    pub basis: Basis,
    /// Percent that is taken off the base.
    pub reduction: Decimal,
    /// Internal rate of the destination.
    pub rate: Decimal,
    /// ICMS of the operation itself.
    pub own: Decimal,
    /// Poverty fund of the destination.
    pub fcp: Option<Decimal>,
    /// Poverty fund of the operation itself.
    pub own_fcp: Decimal,
}

/// What is withheld.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    pub icms: Charge,
    pub fcp: Option<Charge>,
}

/// ICMS and poverty fund by substitution.
///
/// # Errors
/// Negative or too large numbers, a rate of 100 % or more.
pub fn substitution(of: &Substitution) -> Result<Withheld, Impossible> {
    let rate = inside("rate", of.rate)?;
    let own = amount("own", of.own)?;
    let own_fcp = amount("own_fcp", of.own_fcp)?;
    let (base, step) = of_basis(of)?;
    let value = left_of(percent_of(base, rate), own);
    let steps = vec![step, withheld("icms_st", base, rate, own, value, VALUE)];
    let icms = charge(base, rate, value, steps)?;
    let fcp = match of.fcp {
        None => None,
        Some(rate) => {
            let rate = inside("fcp", rate)?;
            let value = left_of(percent_of(base, rate), own_fcp);
            let step = withheld("fcp_st", base, rate, own_fcp, value, FCP);
            Some(charge(base, rate, value, vec![step])?)
        }
    };
    Ok(Withheld { icms, fcp })
}

fn of_basis(of: &Substitution) -> Result<(Decimal, Step), Impossible> {
    let reduction = part("reduction", of.reduction)?;
    let reduced = match reduction.is_zero() {
        true => String::new(),
        false => format!(" x (1 - {})", shown(reduction)),
    };
    match of.basis {
        Basis::Margin { operation, margin } => {
            let operation = amount("operation", operation)?;
            let margin = factor("margin", margin)?;
            let base = base(operation, margin, reduction);
            let with_margin = format!("{} x (1 + {})", f2(operation), shown(margin));
            let formula = format!("{with_margin}{reduced} = {}", f2(base));
            Ok((base, Step::new("st_base_mva", formula, BASE)))
        }
        Basis::List { quantity, price } => {
            let quantity = amount("quantity", quantity)?;
            let price = amount("price", price)?;
            let base = reduced_base(times(quantity, price), reduction);
            let list = format!("{} x {}", quantity.normalize(), price.normalize());
            let formula = format!("{list}{reduced} = {}", f2(base));
            Ok((base, Step::new("st_base_pauta", formula, LIST)))
        }
    }
}

fn withheld(
    rule: &'static str,
    base: Decimal,
    rate: Decimal,
    own: Decimal,
    value: Decimal,
    ground: &'static str,
) -> Step {
    let formula = format!(
        "{} x {} - {} = {}",
        f2(base),
        shown(rate),
        f2(own),
        f2(value)
    );
    Step::new(rule, formula, ground)
}
