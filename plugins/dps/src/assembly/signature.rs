//! The signature of what is sent: DPS and events alike.

use crate::description::{Signed, algorithm, canonicalization, signs};
use crate::transport::id_attribute;
use sdk::{Context, Failure, Placement, SignOptions, host};

/// Enveloped signature of the element with this id, as its next sibling;
/// none where the city wants none.
pub fn sign(xml: &str, id: &str, what: Signed, ctx: &Context) -> Result<String, Failure> {
    if !signs(ctx, what) {
        return Ok(xml.to_owned());
    }
    let options = SignOptions {
        algorithm: algorithm(ctx),
        canonicalization: canonicalization(ctx, what),
        placement: Placement::AfterReference,
        id_attribute: id_attribute(ctx).into(),
        include_chain: false,
        empty_uri: false,
    };
    Ok(host::sign_xml(xml, id, options)?)
}
