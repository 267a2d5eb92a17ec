//! Adapters that are installed, activated and taken back while hubs run. The
//! database says what is in use, so that all nodes of it do the same; each node
//! follows it.

pub mod change;
mod follow;
pub mod install;
mod judge;
mod signature;

pub use follow::{Following, begin, look, poll};
