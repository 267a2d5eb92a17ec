//! Tests of the crate's parts, one module each as in src.

mod driver;
mod host;
mod json;
mod placeholder;
mod registry;

mod component {
    mod bounded;
    mod description;
}

mod contract {
    mod permissions;
}

mod sandbox {
    mod outcome;
    mod request;
}
