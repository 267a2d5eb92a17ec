//! A CT-e somebody else made, in the field names of the API.

use super::fields::{INF_CTE, INF_CTE_SUPL, PROTOCOL};
pub use crate::document::reading::ReadingError;
use crate::document::reading::{Form, ReadDocument};
use fiscal::nfe::event::Family;
use markup::xml::Document;

/// CT-e OS, simplified CT-e and GTV-e have layouts of their own.
pub(super) const FORM: Form = Form {
    family: Family::Cte,
    kind: "CT-e",
    model: "57",
    body: ("infCte", INF_CTE),
    supplement: ("infCTeSupl", INF_CTE_SUPL),
    protocol: PROTOCOL,
    others: &["CTeOS", "CTeSimp", "GTVe"],
};

/// Reads a CT-e: `CTe` or `cteProc`, prefixed or not, alone or inside of
/// something else. Without what it says of itself it is a request
/// ([`super::order::Pedido`]).
///
/// # Errors
/// There is no `CTe/infCte` of the namespace of CT-e, or more than one; the
/// document is of another model.
pub fn read<'d>(doc: &'d Document<'d>) -> Result<ReadDocument<'d>, ReadingError> {
    crate::document::reading::read(&FORM, doc)
}
