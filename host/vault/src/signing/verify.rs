//! Signatures of others: does the key of the certificate in it say yes?

use crate::certificate::Certificate;
use markup::xmldsig::{Algorithm, SignatureParts};
use openssl::hash::MessageDigest;
use openssl::sign::Verifier;
use openssl::x509::X509;

/// Verdict on the RSA signature, and the certificate's holder. The
/// certificate's chain and dates are not judged here.
pub fn verify(parts: &SignatureParts) -> (bool, Option<String>) {
    let Some(der) = parts.certificate_der.as_deref() else {
        return (false, None);
    };
    let holder = Certificate::from_der(der)
        .ok()
        .map(|certificate| certificate.holder);
    (rsa(parts, der).unwrap_or(false), holder)
}

fn rsa(parts: &SignatureParts, der: &[u8]) -> Result<bool, openssl::error::ErrorStack> {
    let key = X509::from_der(der)?.public_key()?;
    let digest = match parts.algorithm {
        Algorithm::RsaSha1 => MessageDigest::sha1(),
        Algorithm::RsaSha256 => MessageDigest::sha256(),
    };
    let mut verifier = Verifier::new(digest, &key)?;
    verifier.update(&parts.signed_info)?;
    verifier.verify(&parts.signature)
}
