//! Tests of the crate's parts, one module each as in src.

mod gate;
mod server;
mod v1;

mod request {
    mod sentences;
    mod strict;
}

mod services {
    mod limiter;
    mod request_log;
}
