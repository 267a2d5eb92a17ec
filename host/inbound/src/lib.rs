//! Notes that others issue against the account's companies: the national
//! distribution of documents (NFeDistribuicaoDFe, MOC 7.0 §5.7; NT 2014.002),
//! and what the company says of them.
//!
//! The authority counts questions by CNPJ, whoever asks, and shuts out for an
//! hour who asks too often (656). So a question is asked only with the CNPJ's
//! turn in hand ([`pause`]), always from the last NSU stored, and what it
//! costs in waiting is written before it leaves.

mod ask;
pub mod batch;
mod keep;
mod learn;
pub mod manifest;
pub mod pause;
pub mod reply;
pub mod schedule;

pub use ask::{AskResult, Mode, Query, consult};
pub use keep::{Documento, Item};
