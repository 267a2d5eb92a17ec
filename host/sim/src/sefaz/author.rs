//! Who transmits and who signed.

use super::cstat::Refusal;
use crate::documents::same_holder;
use crate::pki::{CertificateProblem, Holder, holder};
use crate::request::Answer;
use crate::sefaz::memory::Call;
use crate::xml::Element;
use crate::xml::signature::{self, SignatureError};

/// Why a transmitter is not heard.
pub(super) enum SenderProblem {
    /// The front end answers by itself.
    Http(Answer),
    /// A refusal in the return document.
    Refusal(Refusal),
}

/// The page of a front end that wants a certificate.
pub(crate) fn forbidden(reason: &str) -> Answer {
    Answer::new(
        403,
        "text/html",
        format!(
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\
             <html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>403 - Forbidden</title></head>\
             <body><h1>Server Error</h1><h2>403 - Forbidden: {reason}</h2></body></html>"
        ),
    )
}

/// Holder of the transmission certificate (rules A01 to A08: 280 to 286).
pub(super) fn sender(call: &Call<'_>) -> Result<Holder, SenderProblem> {
    let Some(der) = call.req.client_cert_der.as_deref() else {
        return Err(SenderProblem::Http(forbidden(
            "Client certificate required.",
        )));
    };
    match call.pki.check(der, call.now_ms) {
        Ok(()) => {}
        Err(CertificateProblem::Expired) => return Err(SenderProblem::Refusal("281".into())),
        Err(CertificateProblem::Chain | CertificateProblem::Unreadable) => {
            return Err(SenderProblem::Http(forbidden(
                "Client certificate is not trusted.",
            )));
        }
    }
    holder(der).ok_or_else(|| SenderProblem::Refusal("282".into()))
}

/// The only algorithms of the layout.
const ALGORITHMS: [(&str, &str); 4] = [
    (
        "SignedInfo/CanonicalizationMethod",
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
    ),
    (
        "SignedInfo/SignatureMethod",
        "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
    ),
    (
        "SignedInfo/Reference/DigestMethod",
        "http://www.w3.org/2000/09/xmldsig#sha1",
    ),
    (
        "SignedInfo/Reference/Transforms/Transform",
        "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
    ),
];

/// Verifies the signature over `target` in the document `root` (groups E and
/// F of the MOC: 290 to 298) and answers whose it is.
pub(super) fn signer(call: &Call<'_>, root: &Element, target: &Element) -> Result<Holder, Refusal> {
    let refuse = |code: &str| Err(Refusal::from(code));
    let Some(signature) = root.child("Signature") else {
        return refuse("298");
    };
    let pattern = ALGORITHMS
        .iter()
        .all(|(path, value)| signature.at(path).and_then(|e| e.attr("Algorithm")) == Some(value));
    if !pattern {
        return refuse("298");
    }
    let der = match signature::verify(root, root, target) {
        Ok(der) => der,
        Err(SignatureError::Digest | SignatureError::Value) => return refuse("297"),
        Err(SignatureError::Certificate) => return refuse("290"),
        Err(SignatureError::Missing | SignatureError::Reference | SignatureError::Algorithm) => {
            return refuse("298");
        }
    };
    match call.pki.check(&der, call.now_ms) {
        Ok(()) => holder(&der).ok_or_else(|| "292".into()),
        Err(CertificateProblem::Expired) => refuse("291"),
        Err(CertificateProblem::Chain) => refuse("293"),
        Err(CertificateProblem::Unreadable) => refuse("290"),
    }
}

/// The certificate belongs to the company of the document: 213.
pub(super) fn same_company(holder: &Holder, document: &str) -> Result<(), Refusal> {
    if same_holder(&holder.document, document) {
        Ok(())
    } else {
        Err("213".into())
    }
}
