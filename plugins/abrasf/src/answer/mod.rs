//! What the city answered, in the messages of the model.

mod content;
mod messages;
mod nota;

pub use content::read;
pub use messages::classify;
