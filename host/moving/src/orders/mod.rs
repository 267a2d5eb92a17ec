//! Bodies of theirs become bodies of ours. Pure: what the company is, is given in.

pub mod issuer;
mod moments;
mod national;
mod product;
mod read;
mod service;
mod sums;
mod values;

pub use issuer::{Issuer, cnpj, cnpj_of};
pub use product::items_name;
pub use read::{Fault, Notice};

use crate::kind::Kind;
use crate::names::{NATIONAL, NOTE, Rows, SERVICE};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

/// A body of ours, and what its sender should know.
#[derive(Debug)]
pub struct Order {
    pub body: Map<String, Value>,
    pub notices: Vec<Notice>,
}

/// The table of a kind of document.
pub fn table(kind: Kind) -> Rows {
    match kind {
        Kind::Nfe | Kind::Nfce => NOTE,
        Kind::Nfse => SERVICE,
        Kind::NfseNational => NATIONAL,
    }
}

/// Translates the body of an issuing call.
///
/// # Errors
/// Everything in it that our API cannot say, by their names.
pub fn order(kind: Kind, given: &Map<String, Value>, issuer: &Issuer) -> Result<Order, Vec<Fault>> {
    let mut reading = read::Reading::new(issuer);
    reading.read(table(kind), given);
    match kind {
        Kind::Nfe | Kind::Nfce => product::complete(kind, given, &mut reading),
        Kind::Nfse => service::complete(given, issuer, &mut reading),
        Kind::NfseNational => national::complete(given, &mut reading),
    }
    reading.finished()
}

/// The total that the body of a product note says.
pub fn stated_total(kind: Kind, body: &Map<String, Value>) -> Option<Decimal> {
    kind.is_product()
        .then(|| values::decimal_at(body, "valor_total"))
        .flatten()
}
