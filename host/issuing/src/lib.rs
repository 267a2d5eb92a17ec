//! The life of a document: number, hold, flow, settlement.
//!
//! Three short transactions carry it: reserve, intent (the journal's first
//! request), settle; the others only move leases and the log of calls. Nothing is sent before its intent is durable, and
//! no transaction is open while a request is on the wire.

pub mod actions;
pub mod answer;
pub mod document;
pub mod emitters;
pub mod issue;
pub mod model;
pub mod new_flow;
pub mod notices;
pub mod parts;
pub mod route;
pub mod run;
pub mod settle;

pub use parts::{Issuing, Parts};
