//! Reference tables: embedded, each with its source and date in its first
//! lines. Pure: no I/O, no clock.

pub mod servicos;
pub mod ufs;
