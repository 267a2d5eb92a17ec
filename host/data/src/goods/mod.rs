//! What is sold: NCM, CEST and the products of the ANP.

pub mod anp;
pub mod cest;
pub mod ncm;
