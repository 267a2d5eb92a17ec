//! An MDF-e somebody else made, in the field names of the API.

use super::fields::{INF_MDFE, INF_MDFE_SUPL, PROTOCOL};
pub use crate::document::reading::ReadingError;
use crate::document::reading::{Form, ReadDocument};
use fiscal::nfe::event::Family;
use markup::xml::Document;

pub(super) const FORM: Form = Form {
    family: Family::Mdfe,
    kind: "MDF-e",
    model: "58",
    body: ("infMDFe", INF_MDFE),
    supplement: ("infMDFeSupl", INF_MDFE_SUPL),
    protocol: PROTOCOL,
    others: &[],
};

/// Reads an MDF-e: `MDFe` or `mdfeProc`, prefixed or not, alone or inside of
/// something else. Without what it says of itself it is a request
/// ([`super::order::Pedido`]).
///
/// # Errors
/// There is no `MDFe/infMDFe` of the namespace of MDF-e, or more than one; the
/// document is of another model.
pub fn read<'d>(doc: &'d Document<'d>) -> Result<ReadDocument<'d>, ReadingError> {
    crate::document::reading::read(&FORM, doc)
}
