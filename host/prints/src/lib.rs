//! Documents on paper: DANFE, DACTE, DAMDFE, DANFSe and letters of correction as PDF, the
//! codes on them, and the notes PDFs of others show. Pure functions, no I/O,
//! no clock.

mod board;
pub mod code128;
pub mod dacte;
pub mod damdfe;
pub mod danfe;
pub mod danfse;
mod element;
mod freight;
pub mod pdf;
pub mod qr;
