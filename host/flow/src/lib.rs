//! The adapter runtime: sandbox, registry snapshot and durable driver.
//!
//! Knows no SQL and no HTTP server: what it needs of the hub comes through
//! the traits [`Customer`], [`Journal`] and [`Transport`].

pub mod component;
pub mod contract;
pub mod driver;
mod engine;
mod hex;
mod host;
pub mod json;
mod limits;
pub mod pack;
pub mod placeholder;
pub mod registry;
pub mod sandbox;

pub use component::{LoadError, Loaded};
pub use driver::{Attachment, Driver, End, Flow, Journal, JournalError, Phase, Transport};
pub use engine::Runtime;
pub use hex::hex;
pub use host::{Allow, Asked, Customer, Granted, MEMO_BYTES, Memo, Signing, StepHost, Use};
pub use limits::Limits;
pub use sandbox::{Call, StepError};
