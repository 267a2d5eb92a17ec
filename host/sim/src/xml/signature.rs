//! XML signatures (XMLDSig, enveloped): the simulator verifies what the hub
//! signed and signs what it issues.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openssl::hash::{MessageDigest, hash};
use openssl::sign::{Signer, Verifier};
use openssl::x509::X509;

use super::{C14n, Element, canonicalize, parse};
use crate::pki::Pair;

/// Namespace of XML signatures.
pub const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const EXC_C14N: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
/// Most transforms one reference may name.
const MAX_TRANSFORMS: usize = 4;

/// Why a signature does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureError {
    /// There is none where one is needed.
    Missing,
    /// The reference names another element, an identifier that repeats, or
    /// there is not exactly one.
    Reference,
    /// An algorithm or a transform outside the accepted ones.
    Algorithm,
    /// The content changed after signing.
    Digest,
    /// The signature value does not belong to the certificate.
    Value,
    /// No certificate, or one that cannot be read.
    Certificate,
}

/// Verifies the `Signature` that is a child of `holder` over `target`, both in
/// the document `root`. Answers the signer's certificate (DER); whether it is
/// to be trusted is the caller's question.
///
/// # Errors
/// There is no signature, or it does not hold.
pub fn verify(
    root: &Element,
    holder: &Element,
    target: &Element,
) -> Result<Vec<u8>, SignatureError> {
    let signature = holder
        .elements()
        .find(|e| e.name == "Signature" && e.ns == DSIG && signs(e, target, root))
        .or_else(|| {
            holder
                .elements()
                .find(|e| e.name == "Signature" && e.ns == DSIG)
        })
        .ok_or(SignatureError::Missing)?;
    let info = signature
        .child("SignedInfo")
        .ok_or(SignatureError::Algorithm)?;
    let references: Vec<_> = info.elements().filter(|e| e.name == "Reference").collect();
    let [reference] = references.as_slice() else {
        return Err(SignatureError::Reference);
    };
    if !signs(signature, target, root) {
        return Err(SignatureError::Reference);
    }

    let mut form = C14n::Inclusive;
    let mut enveloped = false;
    if let Some(transforms) = reference.child("Transforms") {
        for (n, transform) in transforms.elements().enumerate() {
            match transform.attr("Algorithm") {
                _ if n >= MAX_TRANSFORMS => return Err(SignatureError::Algorithm),
                Some(ENVELOPED) => enveloped = true,
                _ => form = canonical_form(transform)?,
            }
        }
    }
    let path = path_to(root, target).ok_or(SignatureError::Reference)?;
    let without = enveloped.then_some(signature);
    let content = canonicalize(&path, target, &form, without);
    let digest = digest(reference.child("DigestMethod"))?;
    let expected = decode(reference.child("DigestValue")).ok_or(SignatureError::Digest)?;
    let found = hash(digest, &content).map_err(|_| SignatureError::Digest)?;
    if found.as_ref() != expected {
        return Err(SignatureError::Digest);
    }

    let form = canonical_form(
        info.child("CanonicalizationMethod")
            .ok_or(SignatureError::Algorithm)?,
    )?;
    let path = path_to(root, info).ok_or(SignatureError::Reference)?;
    let signed = canonicalize(&path, info, &form, None);
    let value = decode(signature.child("SignatureValue")).ok_or(SignatureError::Value)?;
    let der = signature
        .at("KeyInfo/X509Data/X509Certificate")
        .and_then(|e| decode(Some(e)))
        .ok_or(SignatureError::Certificate)?;
    let key = X509::from_der(&der)
        .and_then(|c| c.public_key())
        .map_err(|_| SignatureError::Certificate)?;
    let method = method(info.child("SignatureMethod"))?;
    let holds = Verifier::new(method, &key)
        .and_then(|mut v| v.verify_oneshot(&value, &signed))
        .unwrap_or(false);
    if holds {
        Ok(der)
    } else {
        Err(SignatureError::Value)
    }
}

/// True when the signature's reference names `target`, and only it.
fn signs(signature: &Element, target: &Element, root: &Element) -> bool {
    let Some(uri) = signature
        .at("SignedInfo/Reference")
        .and_then(|r| r.attr("URI"))
    else {
        return false;
    };
    match uri.strip_prefix('#') {
        Some(id) => !id.is_empty() && identifier(target) == Some(id) && count_ids(root, id) == 1,
        None => uri.is_empty() && std::ptr::eq(root, target),
    }
}

fn identifier(element: &Element) -> Option<&str> {
    element.attr("Id").or_else(|| element.attr("id"))
}

fn count_ids(element: &Element, id: &str) -> usize {
    usize::from(identifier(element) == Some(id))
        + element.elements().map(|e| count_ids(e, id)).sum::<usize>()
}

/// Ancestors of `wanted`, outermost first.
fn path_to<'a>(root: &'a Element, wanted: &Element) -> Option<Vec<&'a Element>> {
    if std::ptr::eq(root, wanted) {
        return Some(Vec::new());
    }
    root.elements().find_map(|child| {
        let mut path = path_to(child, wanted)?;
        path.insert(0, root);
        Some(path)
    })
}

fn canonical_form(element: &Element) -> Result<C14n, SignatureError> {
    match element.attr("Algorithm") {
        Some(C14N) => Ok(C14n::Inclusive),
        Some(EXC_C14N) => {
            let listed = element
                .child("InclusiveNamespaces")
                .and_then(|e| e.attr("PrefixList"))
                .unwrap_or_default()
                .split_whitespace()
                .map(|p| {
                    if p == "#default" {
                        String::new()
                    } else {
                        p.to_owned()
                    }
                })
                .collect();
            Ok(C14n::Exclusive(listed))
        }
        _ => Err(SignatureError::Algorithm),
    }
}

fn digest(element: Option<&Element>) -> Result<MessageDigest, SignatureError> {
    match element.and_then(|e| e.attr("Algorithm")) {
        Some("http://www.w3.org/2000/09/xmldsig#sha1") => Ok(MessageDigest::sha1()),
        Some("http://www.w3.org/2001/04/xmlenc#sha256") => Ok(MessageDigest::sha256()),
        _ => Err(SignatureError::Algorithm),
    }
}

fn method(element: Option<&Element>) -> Result<MessageDigest, SignatureError> {
    match element.and_then(|e| e.attr("Algorithm")) {
        Some("http://www.w3.org/2000/09/xmldsig#rsa-sha1") => Ok(MessageDigest::sha1()),
        Some("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256") => Ok(MessageDigest::sha256()),
        _ => Err(SignatureError::Algorithm),
    }
}

fn decode(element: Option<&Element>) -> Option<Vec<u8>> {
    let text: String = element?
        .text()
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .collect();
    STANDARD.decode(text).ok().filter(|b| !b.is_empty())
}

/// Signs the element named `target` (a child of the root, with an `Id`) and
/// puts the signature at the end of the root. RSA-SHA256, C14N 1.0. None when
/// the document cannot be read or has no such element.
pub fn sign(document: &str, target: &str, signer: &Pair) -> Option<String> {
    sign_with(document, target, signer, MessageDigest::sha256())
}

/// The same with RSA-SHA1, the only algorithm of NF-e and NFC-e.
pub(crate) fn sign_sha1(document: &str, target: &str, signer: &Pair) -> Option<String> {
    sign_with(document, target, signer, MessageDigest::sha1())
}

fn sign_with(document: &str, target: &str, signer: &Pair, with: MessageDigest) -> Option<String> {
    let (method_name, digest_name) = if with == MessageDigest::sha1() {
        (
            "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
            "http://www.w3.org/2000/09/xmldsig#sha1",
        )
    } else {
        (
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            "http://www.w3.org/2001/04/xmlenc#sha256",
        )
    };
    let root = parse(document).ok()?;
    let element = root.child(target)?;
    let id = element.attr("Id")?;
    let content = canonicalize(&[&root], element, &C14n::Inclusive, None);
    let digest = STANDARD.encode(hash(with, &content).ok()?);
    let inside = format!(
        "<CanonicalizationMethod Algorithm=\"{C14N}\"></CanonicalizationMethod>\
         <SignatureMethod Algorithm=\"{method_name}\"></SignatureMethod>\
         <Reference URI=\"#{id}\"><Transforms><Transform Algorithm=\"{ENVELOPED}\"></Transform>\
         <Transform Algorithm=\"{C14N}\"></Transform></Transforms>\
         <DigestMethod Algorithm=\"{digest_name}\"></DigestMethod>\
         <DigestValue>{digest}</DigestValue></Reference></SignedInfo>"
    );
    // The same text is canonical once its namespaces in scope are written on it.
    let without = format!("<Signature xmlns=\"{DSIG}\"><SignedInfo>{inside}</Signature>");
    let end = document.rfind("</")?;
    let (before, after) = (document.get(..end)?, document.get(end..)?);
    let trial = format!("{before}{without}{after}");
    let trial_root = parse(&trial).ok()?;
    let info = trial_root
        .elements()
        .filter(|e| e.name == "Signature")
        .last()?
        .child("SignedInfo")?;
    let path = path_to(&trial_root, info)?;
    let signed = canonicalize(&path, info, &C14n::Inclusive, None);
    let mut rsa = Signer::new(with, &signer.key).ok()?;
    let value = STANDARD.encode(rsa.sign_oneshot_to_vec(&signed).ok()?);
    let certificate = STANDARD.encode(signer.cert.to_der().ok()?);
    Some(format!(
        "{before}<Signature xmlns=\"{DSIG}\"><SignedInfo>{inside}<SignatureValue>{value}</SignatureValue>\
         <KeyInfo><X509Data><X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo></Signature>{after}"
    ))
}
