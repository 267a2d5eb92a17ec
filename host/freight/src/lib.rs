//! Transport documents: the CT-e (model 57) from a customer's request, its
//! document and its rules, and the reading of those that others made. Pure
//! functions, no I/O, no clock.

pub mod cte;
pub mod writing;
