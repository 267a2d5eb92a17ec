//! Requests to the simulated authorities and their answers, one module a subject.

mod abrasf;
mod abrasf_giss;
mod common;
mod cte;
mod journal;
mod learned;
mod mdfe;
mod national;
mod sefaz;
mod sefaz_assembly;
mod sefaz_events;
mod sefaz_faults;
mod sefaz_rules;
mod server;
mod signatures;
mod world;
