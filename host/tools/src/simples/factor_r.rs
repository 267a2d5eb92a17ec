//! Fator R: payroll over revenue, which decides between annexes III and V.

use super::{SimplesError, Step, assess};
use data::simples::Annex;
use markup::format::{decimal, money};
use rust_decimal::{Decimal, RoundingStrategy};

/// From this ratio on a service of art. 18 §5-I is taxed by annex III (art. 18
/// §§5-J, 5-K and 5-M).
pub const THRESHOLD: Decimal = Decimal::from_parts(28, 0, 0, false, 2);
/// The ratio when there is payroll and no revenue (PGDAS-D manual; second-hand).
const NO_REVENUE: Decimal = THRESHOLD;
/// The ratio when there is no payroll (PGDAS-D manual; second-hand).
const NO_PAYROLL: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// The ratio, the annex it leads to, and what both annexes would cost.
#[derive(Clone, Debug)]
pub struct FactorR {
    /// Payroll ÷ revenue, six places, rounded half up for showing; the exact
    /// quotient was compared.
    pub ratio: Decimal,
    pub annex: Annex,
    /// Effective rate of annex III, percent.
    pub rate_iii: Decimal,
    /// Effective rate of annex V, percent.
    pub rate_v: Decimal,
    /// Annex V less annex III, percentage points.
    pub difference: Decimal,
    pub steps: Vec<Step>,
}

/// Compares the payroll of twelve months (with charges and partners' pay, art.
/// 18 §24) with the revenue of the same months, both in R$.
///
/// # Errors
/// An amount is negative, or the revenue is above the limit of the Simples.
pub fn factor_r(payroll12: Decimal, rbt12: Decimal) -> Result<FactorR, SimplesError> {
    if payroll12 < Decimal::ZERO {
        return Err(SimplesError::Negative);
    }
    let (iii, v) = (assess(Annex::Iii, rbt12)?, assess(Annex::V, rbt12)?);
    let (ratio, formula) = if payroll12.is_zero() {
        (
            NO_PAYROLL,
            "não há folha de salários; neste caso o fator é 0,01".to_owned(),
        )
    } else if rbt12.is_zero() {
        (
            NO_REVENUE,
            "há folha e não há receita; neste caso o fator é 0,28".to_owned(),
        )
    } else {
        let ratio = payroll12.checked_div(rbt12).ok_or(SimplesError::TooBig)?;
        let formula = format!(
            "folha ÷ RBT12 = {} ÷ {} = {}",
            money(Some(payroll12)),
            money(Some(rbt12)),
            decimal(six_places(ratio))
        );
        (ratio, formula)
    };
    // 140,000.00 of 500,000.01 shows as 0.280000 and is below: no rounding here.
    let annex = if ratio >= THRESHOLD {
        Annex::Iii
    } else {
        Annex::V
    };
    let side = if annex == Annex::Iii {
        "28% ou mais"
    } else {
        "menos de 28%"
    };
    let mut steps = vec![
        Step {
            rule: "fator_r",
            formula,
            ground: "LC 123/2006, art. 18, §24; Resolução CGSN 140/2018, art. 26",
        },
        Step {
            rule: "anexo",
            formula: format!("{side}: anexo {}", annex.name()),
            ground: "LC 123/2006, art. 18, §§5º-J, 5º-K e 5º-M",
        },
    ];
    for assessed in [&iii, &v] {
        let rates = assessed
            .steps
            .iter()
            .filter(|step| step.rule == "aliquota_efetiva");
        steps.extend(rates.map(|step| Step {
            rule: step.rule,
            formula: format!("anexo {}: {}", assessed.bracket.annex.name(), step.formula),
            ground: step.ground,
        }));
    }
    Ok(FactorR {
        ratio: six_places(ratio),
        annex,
        rate_iii: iii.effective,
        rate_v: v.effective,
        difference: v.effective - iii.effective,
        steps,
    })
}

/// The ratio as it is shown.
fn six_places(ratio: Decimal) -> Decimal {
    ratio.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero)
}
