//! The files of a case, as `../CASSETTES.md` describes them: read, compared
//! with what an adapter did, or recorded.
//!
//! Host and plugins have types of their own for the contract, each made of
//! `wit/`. This crate knows neither: only files and plain values. So both play
//! the same cases, and none can read them differently.

mod folder;
mod input;
mod step;
mod template;

pub use folder::{Case, Given};
pub use input::{Context, Emitter, Input, Municipality, Operation};
pub use step::{Answer, Means, NoResponse, Request, Response, Wait};
pub use template::unpack;

/// Compare with the files, or write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Play,
    Record,
}

impl Mode {
    /// `RECORD=1` in the environment records.
    #[must_use]
    pub fn from_env() -> Self {
        if std::env::var_os("RECORD").is_some_and(|value| value == "1") {
            Mode::Record
        } else {
            Mode::Play
        }
    }
}
