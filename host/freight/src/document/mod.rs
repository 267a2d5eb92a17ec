//! What CT-e and MDF-e are built and read with alike.

pub(crate) mod check;
mod emitter;
mod head;
pub mod kind;
pub mod reading;

pub(crate) use emitter::{digits, emit};
pub(crate) use head::{child, moment, technician};
