//! Mail the hub writes to people.
//!
//! A mail is a row of `mails`, written in the transaction of the thing it tells
//! of ([`queue`]). Its content is data ([`Letter`]) until it is sent. [`lane`]
//! sends what is due, on any node; the mails of a node that died are taken over
//! by the others. A mail that the server took just before a node died is sent
//! again, under the same Message-ID.
//!
//! Addresses and contents are kept until the mail is over, and never logged.

pub mod document;
mod lane;
mod message;
pub mod notices;
mod smtp;
pub mod text;

pub use lane::poll;
pub use smtp::knock;
