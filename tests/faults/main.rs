//! Exactly one document, whatever dies and whenever.

mod client;
mod duplicates;
mod everywhere;
mod lane;
mod nodes;
mod random;
mod regressions;
mod rows;
