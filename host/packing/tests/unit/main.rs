//! Tests of the crate: what comes back is what went in, and nothing else comes back.

mod certificates;
mod dictionaries;
mod records;
mod rows;
mod samples;
