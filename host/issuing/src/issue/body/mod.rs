//! What documents of a SEFAZ and service notes do differently until their number
//! is taken.

mod number;
mod product;
mod service;

pub use number::{Provisional, Template};
pub use product::Product;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
pub use service::{Service, still_replaceable};
use store::tables::notas::NotaRow;

/// What documents of a SEFAZ and service notes do differently.
pub enum Body {
    Service(Box<Service>),
    Product(Box<Product>),
    /// A CT-e that was announced under its number and is issued now.
    Announced(Box<NotaRow>),
}

/// An amount in cents; the largest integer for an amount beyond all that a note
/// can have.
pub fn cents(value: Decimal) -> i64 {
    (value * Decimal::ONE_HUNDRED)
        .round()
        .to_i64()
        .unwrap_or(i64::MAX)
}
