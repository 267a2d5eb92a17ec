//! Fiscal documents and their rules: NF-e, NFC-e, NFS-e, their events, taxes
//! and people. Pure functions, no I/O, no clock.

// The macros of `body` name their own crate.
extern crate self as fiscal;

pub mod body;
pub mod fields;
pub mod nfe;
pub mod nfse;
pub mod person;
pub mod taxes;
