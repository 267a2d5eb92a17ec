//! A note somebody else made: fields, business checks.
//!
//! - [`ler`] gives every value of an NF-e or NFC-e under the API's names
//!   ([`NotaLida`]), unknown ones under their official path.
//! - [`Assinatura::de`] tells what can be told of the signature without a key.
//! - [`conferir`] is what the authority would find wrong beyond the schema;
//!   [`conferir_evento`] and [`conferir_inutilizacao`] are the same of an event
//!   and of a voided range.
//! - [`respostas`] reads protocols, events and summaries.

mod assinatura;
mod conferir;
mod leitor;
mod nota;
pub mod respostas;
mod tabela;
#[cfg(test)]
mod tests;
mod valor;

pub use assinatura::Assinatura;
pub use conferir::da_operacao;
pub use conferir::{
    Achado, Gravidade, Parecer, Regras, conferir, conferir_evento, conferir_inutilizacao,
};
pub(crate) use conferir::{Achados, assinatura as assinado};
pub use nota::{LeituraError, NotaLida, ler};
pub use valor::{Grupo, Outro, Valor};
