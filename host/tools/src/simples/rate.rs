//! The effective rate of an annex.

use super::share::shares;
use super::{LIMIT, SUBLIMIT, Share, SimplesError, Step};
use data::simples::{Annex, Bracket, bracket};
use markup::format::{decimal, money, percentage};
use rust_decimal::{Decimal, RoundingStrategy};

const HUNDRED: Decimal = Decimal::from_parts(100, 0, 0, false, 0);
const LAW: &str = "LC 123/2006, art. 18, §1º-A";

/// What a company of an annex pays of each R$ 100 of revenue.
#[derive(Clone, Debug)]
pub struct Assessed {
    pub bracket: &'static Bracket,
    /// Percent of the month's revenue, six places, for showing: what is worked out
    /// of the rate has it exact.
    pub effective: Decimal,
    pub shares: Vec<Share>,
    /// ISS was cut at 5 % of the revenue.
    pub iss_capped: bool,
    /// RBT12 is above the sublimit: if the revenue of the calendar year is, too,
    /// ICMS and ISS are paid outside of the Simples (arts. 19 and 20).
    pub above_sublimit: bool,
    pub steps: Vec<Step>,
    rbt12: Decimal,
}

impl Assessed {
    /// What a month's revenue pays, in R$, at two places (art. 18 §3). The law
    /// rounds no rate, so that the month times the rounded one may be a cent off.
    /// None for an amount that no company has.
    pub fn due(&self, month: Decimal) -> Option<Decimal> {
        let due = match self.rbt12.is_zero() {
            true => month.checked_mul(self.bracket.aliquota)?,
            false => {
                let of_year = tax_of_year(self.bracket, self.rbt12)?;
                month.checked_mul(of_year)?.checked_div(self.rbt12)?
            }
        };
        let due = due.checked_div(HUNDRED)?;
        Some(due.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero))
    }
}

/// The rate for a revenue of twelve months, in R$: (RBT12 × nominal rate −
/// deduction) ÷ RBT12 (art. 18 §1-A). Without revenue it is the nominal rate of
/// the first bracket.
///
/// # Errors
/// The revenue is negative or above [`LIMIT`].
pub fn assess(annex: Annex, rbt12: Decimal) -> Result<Assessed, SimplesError> {
    if rbt12 < Decimal::ZERO {
        return Err(SimplesError::Negative);
    }
    // Brackets and limits are in cents; a mean of months may have more places.
    let cents = rbt12.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    if cents > LIMIT {
        return Err(SimplesError::AboveLimit);
    }
    let bracket = bracket(annex, cents).ok_or(SimplesError::AboveLimit)?;
    let exact = effective(bracket, rbt12).ok_or(SimplesError::TooBig)?;
    let (shares, iss_capped) = shares(bracket, exact).ok_or(SimplesError::TooBig)?;
    let effective = exact.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero);
    let above_sublimit = cents > SUBLIMIT;
    Ok(Assessed {
        bracket,
        effective,
        shares,
        iss_capped,
        above_sublimit,
        steps: steps(bracket, cents, effective, iss_capped, above_sublimit),
        rbt12,
    })
}

/// Percent, not rounded.
fn effective(bracket: &Bracket, rbt12: Decimal) -> Option<Decimal> {
    if rbt12.is_zero() {
        return Some(bracket.aliquota);
    }
    tax_of_year(bracket, rbt12)?.checked_div(rbt12)
}

/// RBT12 × nominal rate − deduction, times a hundred: the rate is percent.
fn tax_of_year(bracket: &Bracket, rbt12: Decimal) -> Option<Decimal> {
    let gross = rbt12.checked_mul(bracket.aliquota)?;
    gross.checked_sub(bracket.deduction.checked_mul(HUNDRED)?)
}

fn steps(
    bracket: &Bracket,
    rbt12: Decimal,
    effective: Decimal,
    iss_capped: bool,
    above_sublimit: bool,
) -> Vec<Step> {
    let (rate, deduction) = (
        percentage(Some(bracket.aliquota)),
        money(Some(bracket.deduction)),
    );
    let mut steps = vec![
        Step {
            rule: "faixa",
            formula: format!(
                "RBT12 de {} está na faixa {} do anexo {}, até {}: alíquota nominal {rate}, parcela a deduzir {deduction}",
                money(Some(rbt12)),
                bracket.number,
                bracket.annex.name(),
                money(Some(bracket.until)),
            ),
            ground: "LC 123/2006, art. 18, caput e §1º, e anexos",
        },
        Step {
            rule: "aliquota_efetiva",
            formula: if rbt12.is_zero() {
                format!("sem receita em doze meses vale a alíquota nominal: {rate}")
            } else {
                format!(
                    "({} × {rate} − {deduction}) ÷ {} = {}%",
                    money(Some(rbt12)),
                    money(Some(rbt12)),
                    decimal(effective),
                )
            },
            ground: LAW,
        },
    ];
    if iss_capped {
        steps.push(Step {
            rule: "teto_do_iss",
            formula: "o ISS passaria de 5%: fica em 5%, e o resto da alíquota vai para os outros tributos pelos percentuais da nota do anexo".to_owned(),
            ground: "LC 123/2006, art. 18, §1º-B, e notas (*) dos anexos III e IV",
        });
    }
    if above_sublimit {
        steps.push(Step {
            rule: "sublimite",
            formula: format!(
                "RBT12 acima de {}: se a receita do ano-calendário também passa dele, ICMS e ISS são pagos fora do Simples; se não, continuam nele, e esta repartição não os traz",
                money(Some(SUBLIMIT))
            ),
            ground: "LC 123/2006, arts. 13-A, 19 e 20",
        });
    }
    steps
}
