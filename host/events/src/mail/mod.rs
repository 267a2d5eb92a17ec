//! Mail the hub writes to people.
//!
//! A mail is a row of `mails`, written in the transaction that made somebody
//! have to be told ([`queue`]); what it says is data ([`Carta`]) until it is
//! sent. [`lane`] sends what is due, on any node: one that died leaves its
//! lease, and what the server took is written down at once. A
//! mail that was taken and not yet written down when a node died is sent
//! again, under the same Message-ID.
//!
//! Addresses and contents are kept until the mail is over, and never logged.

pub mod document;
mod lane;
mod message;
pub mod notices;
mod smtp;
mod text;

pub use lane::poll;
