//! Tests of the crate's parts, one module each as in src.

mod astray;
mod v1;
