//! What every operation stands behind: who calls, what a call may do and costs,
//! how a request is read and how an answer and a refusal are written.

pub mod answer;
mod audit;
pub mod call;
pub mod caller;
pub mod charge;
pub mod docs;
pub mod error;
pub mod person;
pub mod query;
pub mod request;
pub mod server;
pub mod services;

pub use call::Call;
pub use services::Services;
