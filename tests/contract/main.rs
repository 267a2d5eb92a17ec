//! What two sides agreed on and neither may change alone: cassettes and
//! sandbox, SQL and both databases, schemas, tables and code, registry and components.

mod cassettes;
mod javascript;
mod ledger;
mod manifests;
mod new_adapter;
mod operations;
mod packaging;
mod past_days;
mod permissions;
mod plans;
mod registry;
mod samples;
mod schema;
mod schemas;
mod sql;
mod tables;
mod uses;
mod vault;
mod words;
