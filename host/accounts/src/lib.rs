//! Accounts: the ledger of credits, keys of the API, people, and the queue of
//! what they are told.

pub mod api_keys;
pub mod caller;
pub mod ledger;
pub mod letters;
pub mod opening;
pub mod operator;
pub mod people;
pub mod scopes;
pub mod users;
