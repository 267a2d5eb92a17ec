//! NF-e (model 55) and NFC-e (model 65): the customer's request, the events,
//! and back from XML to fields, judged by the authority's rules.

pub mod event;
pub mod fields;
pub mod ibs_cbs_alone;
pub mod ie;
pub mod order;
pub mod reading;
pub mod simples_credit;
pub mod technical_notes;
