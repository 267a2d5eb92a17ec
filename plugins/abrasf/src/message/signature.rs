//! Which elements are signed, and how.

use crate::options::Options;
use sdk::{Algorithm, Canonicalization, Failure, Placement, SignOptions, host};

/// RSA-SHA1 over C14N 1.0, what the model and the cities' manuals ask for,
/// unless the system's options say otherwise.
fn options_of(options: &Options, place: Placement) -> SignOptions {
    SignOptions {
        algorithm: Algorithm::RsaSha1,
        canonicalization: if options.exclusive {
            Canonicalization::ExclusiveC14n
        } else {
            Canonicalization::C14n
        },
        placement: place,
        id_attribute: options.id_attribute.clone().unwrap_or_default(),
        include_chain: false,
        empty_uri: options.empty_uri,
    }
}

/// Signs the element with this id; the signature is its next sibling.
///
/// # Errors
/// No usable certificate.
pub fn element(options: &Options, xml: &str, id: &str) -> Result<String, Failure> {
    Ok(host::sign_xml(
        xml,
        id,
        options_of(options, Placement::AfterReference),
    )?)
}

/// Signs the whole message; the signature is its last child.
///
/// # Errors
/// No usable certificate.
pub fn message(options: &Options, xml: &str) -> Result<String, Failure> {
    Ok(host::sign_xml(
        xml,
        "",
        options_of(options, Placement::LastChildOfRoot),
    )?)
}
