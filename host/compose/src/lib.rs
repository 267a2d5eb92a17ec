//! An NF-e or NFC-e from a customer's request: its values and taxes, the
//! rules it must keep before it is sent, its document and its QR code. Pure
//! functions, no I/O, no clock.

pub mod conta;
pub mod contexto;
pub mod dados;
pub mod emitente;
pub mod ibs_cbs;
pub mod montagem;
pub mod qrcode;
pub mod regras;
