//! A door for customers who move: Focus NFe's addresses, names and answers, for NF-e,
//! NFC-e and NFS-e (docs/MOVING.md). Behind it are the hub's own operations, called
//! inside the process with the caller's key: prices, limits, scopes and rules are
//! theirs.
//!
//! - [`names`]: tables of names, theirs and ours.
//! - [`orders`]: a body of theirs becomes one of ours. Pure.
//! - [`answers`]: an answer of ours becomes one of theirs. Pure.
//! - [`door`]: addresses, keys, calls.

pub mod answers;
pub mod door;
pub mod kind;
pub mod names;
pub mod orders;

pub use door::router;
