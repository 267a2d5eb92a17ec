//! What fiscal documents are written with: XML with its canonical form and
//! signatures, the official layouts, the numbers of people and notes. Pure
//! functions, no I/O, no clock.

pub mod decimal;
pub mod field;
pub mod format;
pub mod ids;
pub mod layout;
pub mod tree;
pub mod xml;
pub mod xmldsig;
