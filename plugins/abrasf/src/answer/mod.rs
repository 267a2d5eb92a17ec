//! What the city answered.

mod content;
mod isolate;
mod messages;
mod nota;

pub use content::{Content, Reading, read};
pub use isolate::isolate;
pub use messages::{Class, classify, fault};
pub use nota::Nota;
