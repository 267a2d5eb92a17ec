//! Tests of the crate's parts, one module each as in src.

mod sheet;

mod storage {
    mod path;
}

mod zip {
    mod read;
    mod write;
}
