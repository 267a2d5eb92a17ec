//! What no adapter may have signed with a customer's certificate, whatever it
//! declares ([`flow::contract::permissions::floor`]). Adapters come from
//! contributors.

use flow::contract::SignError;
use flow::contract::permissions::floor;

/// An element of this local name and namespace; `""`: it has none.
///
/// # Errors
/// `Unsupported`, with the reason.
pub fn element(name: &str, namespace: &str) -> Result<(), SignError> {
    floor::element(name, namespace).map_err(SignError::Unsupported)
}

/// A short line of printable ASCII without markup.
///
/// # Errors
/// `Unsupported`, with the reason.
pub fn text(data: &[u8]) -> Result<(), SignError> {
    floor::text(data).map_err(SignError::Unsupported)
}
