//! Tests of the crate's parts, one module each as in src.

mod bulk;
mod issue;
mod pages;
