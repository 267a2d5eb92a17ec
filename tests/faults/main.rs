//! Exactly one document, whatever dies and whenever.

mod client;
mod everywhere;
mod lane;
