//! Tests of the crate's parts, one module each as in src.

mod decimal;
mod field;
mod format;
mod ids;
mod layout;
mod xml;
mod xmldsig;
