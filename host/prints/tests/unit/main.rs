//! Tests of the crate's parts, one module each as in src.

mod code128;
mod dacte;
mod damdfe;
mod danfe;
mod danfse;
mod geometry;
mod qr;

mod pdf {
    mod font;
}
