//! Product notes, CT-e and MDF-e from the customer's JSON to a signed document, judged by
//! programs we did not write (libxml2 with the official schemas, xmlsec1) and
//! by the simulated SEFAZ, which shares no rule with the builder.

mod authority;
mod bench;
mod debit_credit;
mod freight;
mod goods;
mod icms;
mod judgement;
mod official;
mod operations;
mod outside_cst;
mod properties;
mod refusals;
mod rejections;
mod simples;
mod taxes;
