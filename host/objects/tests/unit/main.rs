//! Tests of the crate's parts, one module each as in src.

mod exports {
    mod zip;
}

mod storage {
    mod path;
}
