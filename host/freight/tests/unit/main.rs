//! Tests of the crate's parts, one module each as in src.

mod cte {
    mod assembly;
    mod fields;
    mod orders;
    mod qrcode;
    mod reading;
    mod rules;
    mod xsd;
}
mod writing;
