//! A document as the API shows it, and the answers that are stored of what is
//! done to one: their types, which the API's document takes its schemas from.

mod alone;
mod event;
mod found;
mod issued;
mod money;
mod outcome;
mod product;
mod received;
mod record;
mod service;
mod success;
mod transport;

use crate::model::{Issued as _, Model};
use base::errors::{self, Refusal};
use serde::Serialize;
use serde_json::Value;
use store::DbResult;

pub use alone::{
    Manifestation, RegisteredManifestation, RequestedManifestation, RequestedRange, SentRange,
    TransmittedManifestation, VoidedRange, Voiding, event_alone,
};
pub use event::{
    NfseCancellation, RegisteredEvent, RequestedEvent, SeenNfse, SeenProduct, TransmittedEvent,
    WithEvent, event,
};
pub use found::{AuthorityMessage, Divergence, Found, FoundAtSefaz, SeenStatus, SefazEvent};
pub use issued::{InTransmission, IssuedNota, issued};
pub use money::Reais;
pub use outcome::EventResult;
pub use product::{ByModel, Nfce, Nfe, ProductNota, product_nota};
pub use received::{ReceivedEvent, ReceivedNota, received, received_event};
pub use record::{
    NotaAmbiente, Record, Registered, Rejection, amount, filled, read, registered, written,
};
pub use service::Nfse;
pub use success::{CallCredits, Cost, Success};
pub use transport::{Cte, Mdfe};

/// An answer as it is stored: status and body.
pub type Told = (u16, String);

fn told<B: Serialize>(status: u16, body: Success<B>) -> DbResult<Told> {
    Ok((status, written(&body)?))
}

/// A decimal text as a JSON number with the same digits.
pub fn number(text: &str) -> Value {
    text.parse::<serde_json::Number>()
        .map_or(Value::Null, Value::Number)
}

/// The refusal of a note the authority rejected.
pub fn rejected(nota: &store::tables::notas::NotaRow, reasons: Vec<errors::Rejection>) -> Refusal {
    refused(nota.modelo, reasons).nota(&nota.id)
}

/// The refusal of anything an authority rejected.
pub fn refused(model: Model, reasons: Vec<errors::Rejection>) -> Refusal {
    let mut refusal = Refusal::new(model.rejected());
    if let Some(first) = reasons.first() {
        refusal = refusal.message(format!("{} ({})", first.motivo, first.codigo));
        if !first.correcao.is_empty() {
            refusal = refusal.hint(first.correcao.clone());
        }
    }
    refusal.rejection = reasons;
    refusal
}
