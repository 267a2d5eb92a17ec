//! NF-e (model 55) and NFC-e (model 65): from the customer's request to the
//! document that is signed, its events, and back from XML to fields.

pub mod credito_sn;
pub mod evento;
pub mod ibs_cbs;
pub mod ie;
pub mod leitura;
pub mod montagem;
pub mod pedido;
pub mod qrcode;
pub mod regras;
mod so_ibs_cbs;
