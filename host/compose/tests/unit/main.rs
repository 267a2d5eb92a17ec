//! Tests of the crate's parts, one module each as in src.

mod arithmetic;
mod calculator;
mod context;
mod ibs_cbs;
mod qrcode;

mod assembly {
    mod judge;
    mod plain;
}

mod rules {
    mod layout;
}
