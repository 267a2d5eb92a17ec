//! Keys, certificates and secrets at rest: the only code that sees a private
//! key, a customer's password or an API key in clear.
//!
//! Pure of SQL and of HTTP. Callers give bytes, the time and the randomness;
//! what comes back is safe to store (`envelope`), to use (`signing`) or to
//! show once (`apikey`).
//!
//! * [`a1`] opens an uploaded PFX and says precisely why one is refused.
//! * [`certificate`] reads the facts of one certificate.
//! * [`envelope`] seals secrets under a keyring that can be rotated.
//! * [`signing`] signs with a customer's key and lends it to the TLS client.
//! * [`apikey`] makes and checks the service's own API keys.

pub mod a1;
pub mod apikey;
pub mod certificate;
pub mod envelope;
pub mod link;
pub mod roots;
pub mod signing;

mod der;
mod keyring;
mod pfx;

#[cfg(test)]
pub(crate) mod testkit;
