//! What the host does for an adapter: signatures, placeholders for secrets,
//! a certificate to look at, and a trace.
//!
//! In a component these are imports. Natively they answer from a fake that
//! always gives the same result; CASSETTES.md describes it exactly, so that
//! the host's own cassette player can do the same.

use crate::bindings::diagnostics::Level;
use crate::bindings::secrets::Encoding;
use crate::bindings::signer::{Algorithm, Certificate, Options, SignError};

#[cfg(not(target_arch = "wasm32"))]
mod fake;
#[cfg(not(target_arch = "wasm32"))]
use fake as imports;
#[cfg(target_arch = "wasm32")]
mod wasm;
#[cfg(target_arch = "wasm32")]
use wasm as imports;

#[cfg(not(target_arch = "wasm32"))]
pub use fake::FakeHost;

/// Enveloped XMLDSig over the element whose id is `reference` ("" = the whole
/// document); gives the document with the signature in its place.
///
/// # Errors
/// No usable certificate, or the reference is not in the document.
pub fn sign_xml(xml: &str, reference: &str, options: Options) -> Result<String, SignError> {
    imports::sign_xml(xml, reference, options)
}

/// PKCS#1 v1.5 over raw bytes.
///
/// # Errors
/// No usable certificate.
pub fn sign_bytes(data: &[u8], algorithm: Algorithm) -> Result<Vec<u8>, SignError> {
    imports::sign_bytes(data, algorithm)
}

/// The customer's certificate without its key.
pub fn customer_certificate() -> Option<Certificate> {
    imports::customer_certificate()
}

/// Placeholder for a secret, to be put into a request: the host fills it
/// while sending. None: no such secret.
pub fn secret(name: &str, encoding: Encoding) -> Option<String> {
    imports::secret(name, encoding)
}

/// Value of `Authorization: Basic` from two secrets.
pub fn basic_auth(user: &str, password: &str) -> Option<String> {
    imports::basic_auth(user, password)
}

/// Writes to the flow's trace. No keys, passwords, XML bodies or CPF.
pub fn log(level: Level, message: &str) {
    imports::log(level, message);
}

/// Reports where a panic happened to the trace. Formatted messages may quote
/// a customer's data, so only fixed texts are shown.
pub fn install_panic_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let text = info
                .payload()
                .downcast_ref::<&'static str>()
                .copied()
                .unwrap_or("panic");
            match info.location() {
                Some(place) => log(
                    Level::Error,
                    &format!("{text} at {}:{}", place.file(), place.line()),
                ),
                None => log(Level::Error, text),
            }
        }));
    });
}
