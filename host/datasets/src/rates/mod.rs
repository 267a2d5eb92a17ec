//! Rates and margins of imported tables.

pub mod ibpt;
pub mod mva;
