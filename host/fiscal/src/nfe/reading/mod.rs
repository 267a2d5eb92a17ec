//! A note somebody else made: fields, business checks.
//!
//! - [`read`] gives every value of an NF-e or NFC-e under the API's names
//!   ([`ReadNota`]), unknown ones under their official path.
//! - [`Signature::of`] tells what can be told of the signature without a key.
//! - [`check()`] is what the authority would find wrong beyond the schema;
//!   [`check_event`] and [`check_void`] are the same of an event
//!   and of a voided range.
//! - [`answers`] reads protocols, events and summaries.

pub mod answers;
mod check;
mod nota;
mod signature;

pub use crate::fields::{FieldValue, Group, Other};
pub use check::of_operation;
pub use check::{
    CALENDAR, Finding, Opinion, Regras, Rule, Severity, Subject, check, check_event, check_void,
    rules,
};
pub(crate) use check::{Findings, signature as signed};
pub use nota::{ReadNota, ReadingError, read};
pub use signature::Signature;

/// What the judging of transport documents (CT-e, MDF-e) shares with that of
/// notes.
pub mod judging {
    pub use super::check::{
        Findings, Placed, chave, event, nota, parties, protocol, qrcode, signature,
    };
}
