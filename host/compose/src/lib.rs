//! An NF-e or NFC-e from a customer's request: its values and taxes, the
//! rules it must keep before it is sent, its document and its QR code. Pure
//! functions, no I/O, no clock.

pub mod arithmetic;
pub mod assembly;
pub mod calculator;
pub mod context;
pub mod emitter;
pub mod frame;
pub mod gnre;
pub mod ibs_cbs;
pub mod qrcode;
pub mod rules;
