//! Tests of the crate's parts, one module each as in src.

mod breaker;
mod customer;
mod exchange;
mod mask;
mod tls;
