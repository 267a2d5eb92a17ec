//! What every crate may use: ids, time, money, errors, settings, files, networks,
//! numbers and traces of this process. Pure of SQL and of HTTP servers.

pub mod config;
pub mod errors;
pub mod faultpoint;
pub mod files;
pub mod ids;
pub mod metrics;
pub mod money;
pub mod net;
pub mod operations;
pub mod random;
pub mod traces;
pub mod when;
