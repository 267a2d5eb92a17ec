//! `hub adapter …`: what contributors and operators do with adapters.

pub mod build;
