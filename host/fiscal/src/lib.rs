//! Fiscal rules: pure functions, no I/O, no clock.

pub mod arvore;
pub mod campo;
pub mod codigo128;
pub mod danfe;
pub mod danfse;
pub mod decimal;
pub mod ids;
pub mod layout;
pub mod nfe;
pub mod nfse;
pub(crate) mod pdf;
pub mod pessoa;
pub mod qr;
pub mod xml;
pub mod xmldsig;
