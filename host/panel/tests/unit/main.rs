//! Tests of the crate's parts, one module each as in src.

mod docs;
mod door;
mod form;
mod pages;
mod parts;
