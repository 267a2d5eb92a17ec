//! How it is taxed: operations, tax situations, rates and benefits.

pub mod cbenef;
pub mod cfop;
pub mod class_trib;
pub mod ibs_cbs;
pub mod icms;
pub mod monophasic;
pub mod rates;
pub mod simples;
pub mod situations;
