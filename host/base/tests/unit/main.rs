//! Tests of the crate's parts, one module each as in src.

mod config;
mod ids;
mod net;
mod operations;

mod errors {
    mod catalogue;
}

mod metrics {
    mod registry;
}

mod traces {
    mod parent;
}
