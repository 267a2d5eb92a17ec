//! Tests of the crate's parts, one module each as in src.

mod resting;
mod sources;
