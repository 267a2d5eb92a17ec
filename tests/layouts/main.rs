//! The layout engine: its tables against the official XSDs, its verdicts
//! against libxml2.

#[path = "../src/shared.rs"]
mod shared;
mod tabelas;
