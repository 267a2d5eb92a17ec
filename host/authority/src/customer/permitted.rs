//! What an adapter may have signed with a customer's certificate.
//!
//! Adapters come from contributors. Documents of the SEFAZ and their events are
//! signed by the hub itself, declarations to the federal revenue by nobody here:
//! a municipal system needs none of these. A text is signed as it is, and the
//! canonical `SignedInfo` of any document is a text: markup is refused.

use flow::contract::SignError;

/// Parts of the namespaces, in lower case, of what no adapter has signed: NF-e,
/// CT-e, MDF-e, GNRE and their events; eSocial and EFD-Reinf; e-Financeira;
/// logins by SAML.
const FOREIGN: [&str; 4] = [
    "portalfiscal.inf.br",
    "esocial.gov.br",
    "efinanceira.gov.br",
    "urn:oasis:names:tc:saml",
];

/// Longest text, in bytes. The longest known is the line of an RPS of São Paulo,
/// of some hundred characters.
const TEXT_BYTES: usize = 1_024;

/// An element of this namespace; None where the document has none that is known.
///
/// # Errors
/// `Unsupported`, with the namespace.
pub fn element(namespace: Option<&str>) -> Result<(), SignError> {
    let namespace = namespace.unwrap_or_default();
    let lower = namespace.to_ascii_lowercase();
    if FOREIGN.iter().any(|foreign| lower.contains(foreign)) {
        let text = format!("no adapter may have an element of {namespace} signed");
        return Err(SignError::Unsupported(text));
    }
    Ok(())
}

/// A short line of printable ASCII without markup.
///
/// # Errors
/// `Unsupported`, with the reason.
pub fn text(data: &[u8]) -> Result<(), SignError> {
    let refused = |why: &str| {
        let text = format!("no adapter may have {why} signed");
        Err(SignError::Unsupported(text))
    };
    if data.len() > TEXT_BYTES {
        return refused("a text so long");
    }
    if !data.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return refused("bytes that are no printable ASCII");
    }
    if data.contains(&b'<') {
        return refused("markup as a text");
    }
    Ok(())
}
