//! Events of transport documents: what each says, from typed data.
//!
//! The events are kinds of `fiscal::nfe::event`: what they have here is their
//! catalogue ([`catalogue`]) and one function for each, which checks what the
//! layout does not know and gives the kind with its fields as
//! `fiscal::nfe::event::assemble` takes them. Errors have the names of the
//! request, without a member `dados` around them.

pub mod check;
mod correction;
mod cte;
mod kinds;
mod mdfe;

pub use correction::{Correction, correction_letter};
pub use cte::{cancel_cte, epec};
pub use kinds::{catalogue, search};
pub use mdfe::{Closing, Inclusion, add_documents, add_driver, cancel_mdfe, close};

use fiscal::nfe::event::{Context, Kind, pre_validar};
use markup::field::{Field, Fields};
use serde_json::Value;

/// A kind and its fields, ready to be registered.
pub type Described = (&'static Kind, Value);

/// Adds what the catalogue says of the fields to what is wrong already. `place`
/// turns a place inside of the fields into that of the request.
///
/// # Errors
/// Everything to correct.
fn described(
    kind: &'static Kind,
    data: Value,
    mut wrong: Fields,
    place: impl Fn(&str) -> String,
) -> Result<Described, Vec<Field>> {
    for mut field in pre_validar(kind, &data, &Context::default()) {
        let inside = field.campo.strip_prefix("dados.").unwrap_or(&field.campo);
        let told = place(inside);
        // One error of a place is enough; the rule's own says more.
        if !wrong.0.iter().any(|other| other.campo == told) {
            field.campo = told;
            wrong.0.push(field);
        }
    }
    wrong.into_result()?;
    Ok((kind, data))
}
