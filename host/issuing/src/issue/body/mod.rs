//! What product notes and service notes do differently until their number is
//! taken.

mod number;
mod product;
mod service;

pub use number::Molde;
pub use product::Produto;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
pub use service::{Servico, still_replaceable};

/// What product notes and service notes do differently.
pub enum Corpo {
    Servico(Box<Servico>),
    Produto(Box<Produto>),
}

/// An amount in cents; the largest integer for an amount beyond all that a note
/// can have.
pub fn centavos(valor: Decimal) -> i64 {
    (valor * Decimal::ONE_HUNDRED)
        .round()
        .to_i64()
        .unwrap_or(i64::MAX)
}
