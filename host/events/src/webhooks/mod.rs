//! Telling customers' servers what happened.
//!
//! An event is a row of `outbox`, written in the transaction that made it
//! happen. From there on no event is lost, and each may be delivered more than
//! once: [`crate::dispatch`] gives it its place in the account's order and
//! wakes the webhooks that asked for it; [`deliver`] takes webhooks, and [`work`] sends what is due
//! and what is [`fresh`]. One node at a time delivers to a webhook and holds its lease, so a
//! slow or dead receiver holds some connections of that node and no others.

pub mod catalogue;
mod deliver;
mod example;
pub(crate) mod fresh;
mod purge;
pub mod registration;
pub mod resend;
pub mod schema;
mod work;

pub use deliver::poll;
