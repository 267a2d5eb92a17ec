//! Tests of the crate's parts, one module each as in src.

mod body;
mod person;
mod taxes;

mod nfe {
    mod event;
    mod fields;
    mod ibs_cbs_alone;
    mod ie;
    mod order;
    mod reading;
}

mod nfse {
    mod amounts;
    mod check;
    mod dps;
    mod value;
}
