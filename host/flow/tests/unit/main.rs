//! Tests of the crate's parts, one module each as in src.

mod host;
mod json;
mod placeholder;
mod registry;

mod component {
    mod bounded;
    mod description;
}

mod sandbox {
    mod outcome;
    mod request;
}
