//! Simples Nacional: what a company pays of a month's revenue, and by which
//! annex a service is taxed (Complementary Law 123/2006 art. 18, rates of
//! Complementary Law 155/2016; CGSN Resolution 140/2018).

mod factor_r;
mod rate;
mod revenue;
mod share;

pub use factor_r::{FactorR, THRESHOLD, factor_r};
pub use rate::{Assessed, assess};
pub use revenue::{Revenue, RevenueError, annual};
pub use share::Share;

use rust_decimal::Decimal;

/// Most a company may earn in twelve months, in R$ (art. 3, II).
pub const LIMIT: Decimal = Decimal::from_parts(480_000_000, 0, 0, false, 2);
/// Above this, ICMS and ISS are paid outside of the Simples, in R$ (art. 13-A).
pub const SUBLIMIT: Decimal = Decimal::from_parts(360_000_000, 0, 0, false, 2);

/// One step of a calculation, for people who check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Stable word of the rule.
    pub rule: &'static str,
    /// The rule with the numbers of the case, pt-BR.
    pub formula: String,
    /// Article of the law.
    pub ground: &'static str,
}

/// Why no rate can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimplesError {
    /// A revenue or a payroll below zero.
    #[error("an amount is negative")]
    Negative,
    /// More than [`LIMIT`] in twelve months: the company is not in the Simples.
    #[error("the revenue of twelve months is above the limit of the Simples")]
    AboveLimit,
    /// An amount no company has: the arithmetic would overflow.
    #[error("an amount is too big")]
    TooBig,
}
