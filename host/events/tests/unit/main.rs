//! Tests of the crate's parts, one module each as in src.

mod attempt {
    mod guard;
    mod signature;
}

mod mail {
    mod text;
}

mod webhooks {
    mod catalogue;
}
