//! XML signatures (W3C REC-xmldsig-core-20020212) as Brazilian authorities use
//! them: one enveloped reference, RSA, SHA-1 or SHA-256, X.509 certificates.
//!
//! The private key is not here. [`prepare`] works out what must be signed,
//! whoever holds the key signs those bytes (PKCS#1 v1.5), and
//! [`Prepared::finish`] puts the signature into the original text, which
//! otherwise keeps every byte. [`read_signatures`] takes signatures apart again
//! and recomputes the digests; the RSA check is again the caller's.

mod algorithms;
mod error;
mod prepare;
mod rapida;
mod read;
#[cfg(test)]
mod tests;

pub use algorithms::Algorithm;
pub use error::SignXmlError;
pub use prepare::{Placement, Prepared, SignSpec, prepare};
pub use rapida::{CanonicalParts, prepare_canonical};
pub use read::{SignatureParts, read_signatures};

/// Namespace of `Signature` and all inside it.
pub const DSIG_NAMESPACE: &str = "http://www.w3.org/2000/09/xmldsig#";
