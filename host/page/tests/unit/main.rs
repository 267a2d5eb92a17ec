//! Tests of the crate's parts, one module each as in src.

mod door;
mod form;
mod names;
mod parts;
mod reply;
