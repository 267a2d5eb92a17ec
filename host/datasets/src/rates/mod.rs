//! Rates and margins of imported tables, and the tables that take the place of
//! embedded ones.

pub mod ibpt;
pub mod mva;
pub mod tables;
