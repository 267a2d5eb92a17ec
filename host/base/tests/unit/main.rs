//! Tests of the crate's parts, one module each as in src.

mod config;
mod files;
mod ids;
mod net;
mod operations;
mod when;

mod errors {
    mod catalogue;
    mod place;
}

mod metrics {
    mod process;
    mod registry;
}

mod traces {
    mod parent;
}
