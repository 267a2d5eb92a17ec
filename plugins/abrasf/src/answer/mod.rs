//! What the city answered, in the messages of the model.

mod content;
mod messages;
mod nota;
mod session;

pub use content::read;
pub use messages::classify;
pub use session::read as session;
