//! The imports of the component.

use crate::bindings::diagnostics::{self, Level};
use crate::bindings::secrets::{self, Encoding};
use crate::bindings::signer::{self, Algorithm, Certificate, Options, SignError};

pub fn sign_xml(xml: &str, reference: &str, options: Options) -> Result<String, SignError> {
    signer::sign_xml(xml, reference, &options)
}

pub fn sign_bytes(data: &[u8], algorithm: Algorithm) -> Result<Vec<u8>, SignError> {
    signer::sign_bytes(data, algorithm)
}

pub fn customer_certificate() -> Option<Certificate> {
    signer::customer_certificate()
}

pub fn secret(name: &str, encoding: Encoding) -> Option<String> {
    secrets::reference(name, encoding)
}

pub fn basic_auth(user: &str, password: &str) -> Option<String> {
    secrets::basic_auth(user, password)
}

pub fn log(level: Level, message: &str) {
    diagnostics::log(level, message);
}
