//! Fiscal documents and their rules: NF-e, NFC-e, NFS-e, their events, taxes
//! and people. Pure functions, no I/O, no clock.

pub mod nfe;
pub mod nfse;
pub mod person;
pub mod taxes;
