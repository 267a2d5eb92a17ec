//! How it is taxed: operations, tax situations, rates and benefits.

pub mod cbenef;
pub mod cfop;
pub mod class_trib;
pub mod icms;
pub mod rates;
pub mod situations;
