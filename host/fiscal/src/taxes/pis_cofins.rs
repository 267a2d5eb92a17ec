//! PIS and COFINS over an operation, without the ICMS in it (STF Tema 69), or
//! by unit where they are charged once.

use super::money::{by_unit, f2, percent_of, plus};
use super::step::{Charge, Impossible, Step, amount, charge, factor, product};
use rust_decimal::Decimal;

const WITHOUT_ICMS: &str =
    "STF, RE 574.706 (Tema 69); Lei 14.592/2023, arts. 6º e 7º; IN RFB 2.121/2022, art. 26, XII";
const SINGLE_PHASE: &str =
    "Lei 10.865/2004, art. 23; Lei 11.116/2005, art. 4º; EFD-Contribuições, tabela 4.3.11";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contribution {
    Pis,
    Cofins,
}

/// How a company pays them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    Cumulative,
    NonCumulative,
}

impl Regime {
    /// The general rate, percent.
    pub fn rate(self, of: Contribution) -> Decimal {
        match (self, of) {
            (Regime::Cumulative, Contribution::Pis) => Decimal::new(65, 2),
            (Regime::Cumulative, Contribution::Cofins) => Decimal::new(300, 2),
            (Regime::NonCumulative, Contribution::Pis) => Decimal::new(165, 2),
            (Regime::NonCumulative, Contribution::Cofins) => Decimal::new(760, 2),
        }
    }

    /// The law of the rate.
    pub fn ground(self, of: Contribution) -> &'static str {
        match (self, of) {
            (Regime::Cumulative, Contribution::Pis) => "Lei 9.715/1998, art. 8º, I",
            (Regime::Cumulative, Contribution::Cofins) => "Lei 9.718/1998, art. 8º",
            (Regime::NonCumulative, Contribution::Pis) => "Lei 10.637/2002, art. 2º",
            (Regime::NonCumulative, Contribution::Cofins) => "Lei 10.833/2003, art. 2º",
        }
    }
}

/// The operation without the ICMS charged in it. The poverty fund is none of it
/// for the RFB (Solução de Consulta Cosit 61/2024, which binds it): it stays in.
pub fn without_icms(operation: Decimal, icms: Decimal) -> Decimal {
    plus(operation, -icms).max(Decimal::ZERO)
}

/// A contribution by the general rate of a regime.
///
/// # Errors
/// Negative or too large numbers.
pub fn general(
    of: Contribution,
    regime: Regime,
    operation: Decimal,
    icms: Decimal,
) -> Result<Charge, Impossible> {
    by_rate(of, operation, icms, regime.rate(of), regime.ground(of))
}

/// A contribution by any rate, with the law of it.
///
/// # Errors
/// Negative or too large numbers.
pub fn by_rate(
    of: Contribution,
    operation: Decimal,
    icms: Decimal,
    rate: Decimal,
    ground: &'static str,
) -> Result<Charge, Impossible> {
    let operation = amount("operation", operation)?;
    let icms = amount("icms", icms)?;
    let rate = factor("rate", rate)?;
    let base = without_icms(operation, icms);
    let value = percent_of(base, rate);
    let formula = format!("{} - {} = {}", f2(operation), f2(icms), f2(base));
    let (without, rule) = match of {
        Contribution::Pis => ("pis_base_sem_icms", "pis"),
        Contribution::Cofins => ("cofins_base_sem_icms", "cofins"),
    };
    let steps = vec![
        Step::new(without, formula, WITHOUT_ICMS),
        Step::new(rule, product(base, rate, value), ground),
    ];
    charge(base, rate, value, steps)
}

/// A contribution charged once, in reais by unit.
///
/// # Errors
/// Negative or too large numbers.
pub fn single_phase(
    of: Contribution,
    quantity: Decimal,
    by: Decimal,
) -> Result<Charge, Impossible> {
    let quantity = amount("quantity", quantity)?;
    let by = factor("by_unit", by)?;
    let value = by_unit(quantity, by);
    let formula = format!(
        "{} x R$ {} = {}",
        quantity.normalize(),
        by.normalize(),
        f2(value)
    );
    let rule = match of {
        Contribution::Pis => "pis_por_unidade",
        Contribution::Cofins => "cofins_por_unidade",
    };
    let step = Step::new(rule, formula, SINGLE_PHASE);
    charge(quantity, by, value, vec![step])
}
