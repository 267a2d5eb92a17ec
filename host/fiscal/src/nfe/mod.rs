//! NF-e (model 55) and NFC-e (model 65): the customer's request, the events,
//! and back from XML to fields, judged by the authority's rules.

pub mod credito_sn;
pub mod evento;
pub mod ie;
pub mod leitura;
pub mod pedido;
pub mod so_ibs_cbs;
