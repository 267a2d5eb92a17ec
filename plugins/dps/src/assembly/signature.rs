//! The signature of what is sent: DPS and events alike.

use crate::description::algorithm;
use crate::transport::id_attribute;
use sdk::{Canonicalization, Context, Failure, Placement, SignOptions, host};

/// Enveloped signature of the element with this id, as its next sibling.
pub fn sign(xml: &str, id: &str, ctx: &Context) -> Result<String, Failure> {
    let options = SignOptions {
        algorithm: algorithm(ctx),
        canonicalization: Canonicalization::C14n,
        placement: Placement::AfterReference,
        id_attribute: id_attribute(ctx).into(),
        include_chain: false,
        empty_uri: false,
    };
    Ok(host::sign_xml(xml, id, options)?)
}
