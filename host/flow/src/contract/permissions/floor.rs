//! What no adapter has signed, whatever it declares.
//!
//! Documents of the SEFAZ and their events are signed by the hub itself,
//! declarations to the federal revenue and powers of attorney by nobody here: a
//! municipal system needs none of these. A text is signed as it is, and the
//! canonical `SignedInfo` of any document is a text: markup is refused, and so are
//! tokens.

/// Parts of the namespaces, in lower case, of NF-e, CT-e, MDF-e, GNRE and their
/// events; eSocial and EFD-Reinf; e-Financeira; logins by SAML.
const NAMESPACES: [&str; 4] = [
    "portalfiscal.inf.br",
    "esocial.gov.br",
    "efinanceira.gov.br",
    "urn:oasis:names:tc:saml",
];

/// Local names, in lower case, of elements that mean the same without their
/// namespace: documents of the SEFAZ and the federal revenue, logins, the form of a
/// power of attorney for the services of the Receita Federal
/// (`termoDeAutorizacao`), and what a signature itself signs.
const NAMES: [&str; 15] = [
    "assertion",
    "authnrequest",
    "efinanceira",
    "esocial",
    "infcte",
    "infinut",
    "infmdfe",
    "infnfe",
    "logoutrequest",
    "manifest",
    "procuracao",
    "reinf",
    "signature",
    "signedinfo",
    "termodeautorizacao",
];

/// Longest text, in bytes. The longest known is the line of an RPS of São Paulo,
/// of some hundred characters.
pub const TEXT_BYTES: usize = 1_024;

/// How every JSON Web Token begins: the base64 of `{`. Signed, it would log somebody
/// in as the customer.
const TOKEN: &[u8] = b"ey";

/// Whether elements of this namespace are signed for nobody.
#[must_use]
pub fn foreign_namespace(namespace: &str) -> bool {
    let lower = namespace.to_ascii_lowercase();
    NAMESPACES.iter().any(|foreign| lower.contains(foreign))
}

/// Whether elements of this local name are signed for nobody.
#[must_use]
pub fn foreign_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    NAMES.contains(&lower.as_str())
}

/// Why an element of this local name and namespace is not signed.
///
/// # Errors
/// A sentence for the adapter.
pub fn element(name: &str, namespace: &str) -> Result<(), String> {
    if foreign_namespace(namespace) {
        return Err(format!(
            "no adapter may have an element of {namespace} signed"
        ));
    }
    if foreign_name(name) {
        return Err(format!("no adapter may have an element {name} signed"));
    }
    Ok(())
}

/// Why a text is not signed: it is no short line of printable ASCII, or it has
/// markup or is a token.
///
/// # Errors
/// A sentence for the adapter.
pub fn text(data: &[u8]) -> Result<(), String> {
    let refused = |why: &str| Err(format!("no adapter may have {why} signed"));
    if data.len() > TEXT_BYTES {
        return refused("a text so long");
    }
    if !data.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return refused("bytes that are no printable ASCII");
    }
    if data.contains(&b'<') {
        return refused("markup as a text");
    }
    if data.starts_with(TOKEN) && data.contains(&b'.') {
        return refused("a token");
    }
    Ok(())
}
