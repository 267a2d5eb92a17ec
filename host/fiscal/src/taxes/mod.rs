//! Taxes of goods as formulas: from amounts and rates to what is charged, each
//! with the steps that led there as data.
//!
//! Pure: no table is read but that of the rates between states, and that of the
//! classifications of IBS and CBS. Rates, reductions and margins are percent.
//! Money is rounded half up at each line; that of IBS and CBS half to even, as
//! the calculator of the RFB does. What the formulas cannot be asked is an
//! [`Impossible`].

pub mod burden;
pub mod difal;
pub mod ibs_cbs;
pub mod icms;
pub mod ipi;
pub mod money;
pub mod pis_cofins;
mod step;
pub mod substitution;

pub use step::{Charge, Impossible, MAX_AMOUNT, MAX_FACTOR, Step};
