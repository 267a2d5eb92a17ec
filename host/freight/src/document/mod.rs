//! What CT-e and MDF-e are built and read with alike.

mod emitter;
mod head;
pub mod reading;

pub(crate) use emitter::{digits, emit};
pub(crate) use head::{child, moment, technician};
