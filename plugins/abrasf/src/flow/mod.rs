//! What is asked, in which order, and what each answer means for the note.

mod batch;
pub mod cancel;
pub mod issue;
mod pace;
pub mod query;
mod search;
mod session;
