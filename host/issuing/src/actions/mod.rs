//! What happens to a note after it was issued, and questions about it.

pub mod authorizer;
pub mod cancel;
pub mod event;
pub mod query;
pub mod register;
pub mod void;
pub mod without_note;
