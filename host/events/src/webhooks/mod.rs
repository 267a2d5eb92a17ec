//! Telling customers' servers what happened.
//!
//! An event is a row of `outbox`, written in the transaction that made it
//! happen. From there on nothing is lost and everything may be repeated:
//! [`crate::dispatch`] gives each event its place in the account's order and makes
//! a delivery for each webhook that asked for it; [`deliver`] sends what is due.
//! A webhook is delivered to by one node at a time, which holds its lease: a
//! slow or dead one costs that node a few connections and nobody else anything.

pub mod catalogue;
mod deliver;
mod example;
pub mod registration;
pub mod resend;
pub mod schema;

pub use deliver::poll;
