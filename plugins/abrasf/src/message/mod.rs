//! Builds the messages, element by element in the order of the schemas.

pub mod cancellation;
mod countries;
mod declaration;
mod fields;
mod party;
mod plain;
mod provider;
pub mod query;
pub mod sending;
pub mod signature;
mod tax;
mod values;

pub use fields::Fields;
mod ibs_cbs;
mod rps100;
mod tags;
