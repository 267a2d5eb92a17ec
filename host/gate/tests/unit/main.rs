//! Tests of the crate's parts, one module each as in src.

mod caller;
mod query;
mod server;

mod error {
    mod suggest;
}

mod request {
    mod sentences;
    mod strict;
}

mod services {
    mod limiter;
    mod request_log;
}
