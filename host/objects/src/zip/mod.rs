//! ZIP archives: a file is read out of one, and one is written.

pub mod read;
pub mod write;
