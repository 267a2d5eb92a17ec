//! Documents on paper: DANFE, DANFSe and letters of correction as PDF, the
//! codes on them, and the notes PDFs of others show. Pure functions, no I/O,
//! no clock.

pub mod code128;
pub mod danfe;
pub mod danfse;
pub mod pdf;
pub mod qr;
