//! Builds the messages, element by element in the order of the schemas.

pub mod cancellation;
mod declaration;
mod ibs_cbs;
pub mod nature;
mod party;
mod plain;
mod provider;
pub mod query;
mod rps100;
pub mod sending;
pub mod signature;
mod tags;
mod tax;
mod values;
