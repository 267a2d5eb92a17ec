//! The flow of a municipal system that knows a note by its RPS: issue at most
//! once, follow a batch, look for the RPS after an answer was lost, adopt only
//! a note that is ours, cancel and verify, query.
//!
//! Reads top-down: `flow` decides, `system` is what an adapter gives it,
//! `content` is what an answer says. The rest is shared by the adapters'
//! messages: amounts, codes of the law, dates, countries, checks of fields.

pub mod amounts;
pub mod class;
pub mod content;
pub mod countries;
pub mod dates;
mod fields;
pub mod flow;
mod isolate;
pub mod system;
pub mod tax;

pub use class::Class;
pub use content::{Content, Nota, Reading};
pub use fields::Fields;
pub use isolate::isolate;
pub use system::{Learnt, Login, Question, Rps, Service, System};
