//! The XML that was sent and who signed it.

use super::codes::Refusal;
use crate::engine::Call;
use crate::pki::{Holder, holder};
use crate::xml::signature::{self, SignatureError};
use crate::xml::{Element, XmlError, parse};

/// A document in the national form, and who signed it in the form it came in.
pub(super) struct Signed {
    pub xml: String,
    pub signer: Holder,
}

/// XML of a package; the codes tell encoding and form apart.
pub(super) fn read(xml: &str) -> Result<Element, Refusal> {
    parse(xml).map_err(|e| match e {
        XmlError::Encoding => "E1229".into(),
        other => Refusal::with("E1226", other.to_string()),
    })
}

/// Who signed `target`, when the signature holds and its certificate counts.
pub(super) fn signer(
    call: &Call<'_>,
    root: &Element,
    target: &Element,
) -> Result<Holder, &'static str> {
    let der = signature::verify(root, root, target).map_err(|e| match e {
        SignatureError::Missing => "E0717",
        SignatureError::Certificate => "E0715",
        _ => "E0714",
    })?;
    call.pki.check(&der, call.now_ms).map_err(|_| "E0715")?;
    holder(&der).ok_or("E0716")
}

/// The same of the signature that stands in `holder`; where the document has
/// none, whoever the certificate of the connection names.
pub(super) fn signer_of(
    call: &Call<'_>,
    root: &Element,
    holder_element: &Element,
    target: &Element,
    caller: &Holder,
) -> Result<Holder, Refusal> {
    let der = match signature::verify(root, holder_element, target) {
        Ok(der) => der,
        Err(SignatureError::Missing) => return Ok(caller.clone()),
        Err(_) => return Err("E0714".into()),
    };
    call.pki
        .check(&der, call.now_ms)
        .map_err(|_| Refusal::from("E0715"))?;
    holder(&der).ok_or_else(|| "E0716".into())
}
