//! The DeRE (declaração de regimes específicos), layout 1.2.0, beta: an event's
//! document from a customer's data, what its layout refuses, and batches of
//! events. Pure functions, no I/O, no clock.
//!
//! The structure is that of the official schemas (`host/markup/layouts/evt*`).
//! The rules are those that the schemas state beside each field in words; what
//! only the authority knows (receipts, accounts of earlier months, its own
//! tables) is not judged here.

pub mod batch;
pub mod catalogue;
pub mod event;
mod group;
pub mod id;
mod path;
pub mod period;
mod rules;

/// The layout in force.
pub const LAYOUT: &str = "1.2.0";
