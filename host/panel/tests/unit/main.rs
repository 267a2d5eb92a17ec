//! Tests of the crate's parts, one module each as in src.

mod bulk;
mod door;
mod form;
mod issue;
mod names;
mod pages;
mod parts;
