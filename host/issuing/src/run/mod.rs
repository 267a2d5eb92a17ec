//! Running flows: leases, journal, waiting for the end.

pub mod journal;
mod peers;
pub mod rekey;
pub mod wait;
pub mod work;
