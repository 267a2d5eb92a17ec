//! Tests of the crate's parts, one module each as in src.

mod frozen;
mod room;
mod stored;
mod words;
