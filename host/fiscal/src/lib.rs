//! Fiscal rules: pure functions, no I/O, no clock.

pub mod campo;
pub mod danfse;
pub mod ids;
pub mod nfse;
pub mod qr;
pub mod xml;
pub mod xmldsig;
