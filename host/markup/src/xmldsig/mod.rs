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
mod fast;
mod prepare;
mod read;

pub use algorithms::Algorithm;
pub use error::SignXmlError;
pub use fast::{CanonicalParts, prepare_canonical};
pub use prepare::{Placement, Prepared, SignSpec, prepare};
pub use read::{SignatureParts, read_signatures};

/// Largest document, bytes, before it is signed. Whoever signs and sends takes
/// 2 MiB, with signature (4 KiB, with a key of 4096 bits) and envelope around
/// it. A body of 1 MiB with 990 items comes to 1.8 MiB unless its texts are
/// full of what XML escapes.
pub const MAX_DOCUMENTO: usize = (2 << 20) - (16 << 10);

/// Namespace of `Signature` and all inside it.
pub const DSIG_NAMESPACE: &str = "http://www.w3.org/2000/09/xmldsig#";
