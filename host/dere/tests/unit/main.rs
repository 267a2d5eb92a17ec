//! Tests of the crate's parts, one module each as in src.

mod batch;
mod catalogue;
mod deductions;
mod events;
mod ids;
mod official;
mod rules;
mod sample;
