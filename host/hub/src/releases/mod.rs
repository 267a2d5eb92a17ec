//! Adapters that are installed, activated and taken back while hubs run. The
//! database says what is in use, so that all nodes of it do the same; each node
//! follows it.

pub mod change;
pub mod develop;
mod follow;
pub mod install;
mod judge;
pub mod oci;
pub mod pack;
mod signature;
pub mod source;
mod web;

pub use follow::{Following, begin, look, poll};

/// Releases that nothing uses, of all adapters, that a list shows.
pub const LISTED: i64 = 1_000;
/// Characters of a digest that tell releases apart for people.
pub const SHORT: usize = 12;

/// The beginning of a digest.
pub fn short(digest: &str) -> &str {
    digest.get(..SHORT).unwrap_or(digest)
}
