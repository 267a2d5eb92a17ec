//! What the authorities answer, register and publish.

pub mod cancelamento;
pub mod cstat;
pub mod eventos;
pub mod nfce;
