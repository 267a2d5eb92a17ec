//! Telling customers and people what happened: outbox, webhooks, mail and
//! messages of an app.

pub mod attempt;
pub mod dispatch;
pub mod mail;
pub mod messaging;
pub mod parts;
pub mod webhooks;
