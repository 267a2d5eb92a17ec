//! Tests of the crate's parts, one module each as in src.

mod days;
mod deliveries;
mod documents;
mod frozen;
mod kept;
mod named;
mod packing;
mod pages;
mod parties;
mod persons;
mod room;
mod stored;
mod told;
mod walks;
mod words;
