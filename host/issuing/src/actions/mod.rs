//! What happens to a note after it was issued, and questions about it.

pub mod authorizer;
pub mod cancel;
mod component;
pub mod dere;
pub mod epec;
pub mod event;
pub mod open_manifests;
pub mod operator;
pub mod query;
mod question;
pub mod register;
pub mod void;
pub mod without_note;
