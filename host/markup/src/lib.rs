//! What fiscal documents are written with: XML with its canonical form and
//! signatures, the official layouts, the numbers of people and notes. Pure
//! functions, no I/O, no clock.

pub mod arvore;
pub mod campo;
pub mod decimal;
pub mod formato;
pub mod ids;
pub mod layout;
pub mod xml;
pub mod xmldsig;
