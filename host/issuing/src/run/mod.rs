//! Running flows: leases, journal, waiting for the end.

pub mod journal;
pub mod notify;
pub mod rekey;
pub mod running;
pub mod wait;
pub mod work;
