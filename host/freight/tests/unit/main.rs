//! Tests of the crate's parts, one module each as in src.

mod cte {
    mod assembly;
    mod check;
    mod fields;
    pub mod orders;
    mod qrcode;
    mod reading;
    mod rules;
    mod xsd;
}
mod event {
    mod check;
    pub mod kinds;
    mod texts;
    mod xsd;
}
mod mdfe {
    mod assembly;
    mod check;
    mod fields;
    mod orders;
    mod qrcode;
    mod reading;
    mod rules;
    mod xsd;
}
mod judging;
mod members;
mod signing;
mod writing;
