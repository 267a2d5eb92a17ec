//! What is asked, in which order, and what each answer means for the note.

mod batch;
mod cancel;
mod issue;
mod pace;
pub mod query;
mod search;
mod session;

pub use cancel::cancel;
pub use issue::{issue, replace};
