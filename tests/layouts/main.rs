//! The layout engine: its tables against the official XSDs, its verdicts
//! against libxml2.

mod generator;
mod libxml2;
mod model;
mod mutants;
mod oracle;
mod properties;
mod sample;
mod tables;
