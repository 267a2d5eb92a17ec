//! What companies do and where they bank.

pub mod banks;
pub mod cnae;
