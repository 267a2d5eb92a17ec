//! Tests of the crate's parts, one module each as in src.

mod adapter;
mod backup;
mod cli;
mod demo;
mod doctor;
mod oci;
mod player;
mod registry;
