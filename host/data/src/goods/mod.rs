//! What is sold: NCM with its rates of IPI, CEST and the products of the ANP.

pub mod anp;
pub mod cest;
pub mod ncm;
pub mod tipi;
