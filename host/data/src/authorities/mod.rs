//! What the authorities answer, register and publish.

pub mod cancellation;
pub mod cstat;
pub mod event_kinds;
pub mod gnre;
pub mod nfce;
