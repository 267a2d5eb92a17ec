//! Transport documents: CT-e (model 57) and MDF-e (model 58) from a customer's
//! request, their documents and rules, the reading of those that others made,
//! and the events of both. Pure functions, no I/O, no clock.

pub mod cte;
pub mod document;
pub mod event;
pub mod mdfe;
mod places;
pub mod writing;
