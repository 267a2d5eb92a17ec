//! The revenue of twelve months (RBT12) of a company in its first year.

use super::Step;
use markup::format::money;
use rust_decimal::Decimal;

const TWELVE: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// The revenue that chooses the bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revenue {
    /// R$ of twelve months; a projected one is not rounded.
    pub rbt12: Decimal,
    /// It was projected from fewer than twelve months.
    pub projected: bool,
    /// How it was made; none where the caller told it.
    pub step: Option<Step>,
}

impl Revenue {
    /// The sum of twelve months, as the caller knows it.
    pub fn told(rbt12: Decimal) -> Revenue {
        Revenue {
            rbt12,
            projected: false,
            step: None,
        }
    }
}

/// Why the revenue of twelve months cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevenueError {
    /// A month below zero.
    #[error("a month's revenue is negative")]
    Negative,
    /// More than twelve months.
    #[error("there are more than twelve months")]
    TooManyMonths,
    /// The first month's revenue is needed where no month is closed.
    #[error("the first month has no revenue")]
    NoRevenue,
    /// The sum is outside of what a decimal holds.
    #[error("a month's revenue is too big")]
    TooBig,
}

/// RBT12 from the closed months before the one that is assessed, and the
/// revenue of that one.
///
/// In the first month of a company it is that month's revenue times twelve, in
/// the second to the twelfth the mean of the closed months times twelve; with
/// twelve closed months their sum (CGSN Resolution 140/2018 art. 22).
///
/// # Errors
/// A month is negative, too big or missing, or there are more than twelve.
pub fn annual(closed: &[Decimal], current: Option<Decimal>) -> Result<Revenue, RevenueError> {
    if closed
        .iter()
        .chain(&current)
        .any(|month| month.is_sign_negative() && !month.is_zero())
    {
        return Err(RevenueError::Negative);
    }
    let sum = closed
        .iter()
        .try_fold(Decimal::ZERO, |sum, month| sum.checked_add(*month))
        .ok_or(RevenueError::TooBig)?;
    let ground = "Resolução CGSN 140/2018, art. 22";
    let months = Decimal::from(closed.len());
    let (rbt12, rule, formula) = match closed.len() {
        0 => {
            let first = current.ok_or(RevenueError::NoRevenue)?;
            let formula = format!("receita do primeiro mês × 12 = {} × 12", money(Some(first)));
            (first.checked_mul(TWELVE), "rbt12_primeiro_mes", formula)
        }
        1..12 => {
            let formula = format!(
                "receita dos meses anteriores × 12 ÷ {months} = {} × 12 ÷ {months}",
                money(Some(sum))
            );
            let year = sum.checked_mul(TWELVE);
            (
                year.and_then(|year| year.checked_div(months)),
                "rbt12_proporcional",
                formula,
            )
        }
        12 => (
            Some(sum),
            "rbt12",
            "soma dos doze meses anteriores".to_owned(),
        ),
        _ => return Err(RevenueError::TooManyMonths),
    };
    let rbt12 = rbt12.ok_or(RevenueError::TooBig)?;
    let shown =
        rbt12.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    Ok(Revenue {
        rbt12,
        projected: closed.len() < 12,
        step: Some(Step {
            rule,
            formula: format!("{formula} = {}", money(Some(shown))),
            ground,
        }),
    })
}
