//! Builds the messages, element by element in the order of the schemas.

pub mod assinatura;
pub mod cancelamento;
pub mod consulta;
pub mod envio;

mod campos;
pub use campos::Campos;
mod declaracao;
mod ibs_cbs;
mod paises;
mod pessoa;
mod prestador;
mod rps100;
mod tags;
mod tributo;
mod valores;
