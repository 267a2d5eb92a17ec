//! Algorithms and the URIs that name them (xmldsig-core §6, RFC 4051 §2.3.2,
//! xmlenc-core §5.7.2).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::xml::{C14n, Comments};

pub(super) const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const C14N_COMMENTS: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments";
const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const EXCLUSIVE_COMMENTS: &str = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments";

/// RSA PKCS#1 v1.5 with this hash; the digest of the content uses it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// What NF-e and most ABRASF systems demand to this day.
    RsaSha1,
    /// The same with SHA-256.
    RsaSha256,
}

impl Algorithm {
    pub(super) fn signature_uri(self) -> &'static str {
        match self {
            Algorithm::RsaSha1 => "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
            Algorithm::RsaSha256 => "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        }
    }

    pub(super) fn digest_uri(self) -> &'static str {
        match self {
            Algorithm::RsaSha1 => "http://www.w3.org/2000/09/xmldsig#sha1",
            Algorithm::RsaSha256 => "http://www.w3.org/2001/04/xmlenc#sha256",
        }
    }

    pub(super) fn of_signature(uri: &str) -> Option<Algorithm> {
        [Algorithm::RsaSha1, Algorithm::RsaSha256]
            .into_iter()
            .find(|a| a.signature_uri() == uri)
    }

    pub(super) fn of_digest(uri: &str) -> Option<Algorithm> {
        [Algorithm::RsaSha1, Algorithm::RsaSha256]
            .into_iter()
            .find(|a| a.digest_uri() == uri)
    }

    /// Base64 of the digest.
    pub(super) fn digest(self, bytes: &[u8]) -> String {
        self.digest_of_parts(&[bytes])
    }

    /// Base64 of the digest of what the parts are together.
    pub(super) fn digest_of_parts(self, parts: &[&[u8]]) -> String {
        match self {
            Algorithm::RsaSha1 => encode(digest_of::<Sha1>(parts).as_ref()),
            Algorithm::RsaSha256 => encode(digest_of::<Sha256>(parts).as_ref()),
        }
    }
}

fn digest_of<D: Digest>(parts: &[&[u8]]) -> impl AsRef<[u8]> {
    let mut digest = D::new();
    for part in parts {
        digest.update(part);
    }
    digest.finalize()
}

pub(super) fn c14n_uri(form: C14n) -> &'static str {
    match form {
        C14n::Inclusive => C14N,
        C14n::Exclusive => EXCLUSIVE,
    }
}

pub(super) fn c14n_of(uri: &str) -> Option<(C14n, Comments)> {
    match uri {
        C14N => Some((C14n::Inclusive, Comments::Drop)),
        C14N_COMMENTS => Some((C14n::Inclusive, Comments::Keep)),
        EXCLUSIVE => Some((C14n::Exclusive, Comments::Drop)),
        EXCLUSIVE_COMMENTS => Some((C14n::Exclusive, Comments::Keep)),
        _ => None,
    }
}

pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes base64 that may be broken into lines.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    STANDARD.decode(packed).ok()
}
