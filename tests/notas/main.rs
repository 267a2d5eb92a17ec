//! Product notes from the customer's JSON to a signed document, judged by
//! programs we did not write: libxml2 with the official schemas, xmlsec1.

mod bancada;
mod icms;
mod impostos;
mod mercadorias;
mod oficial;
mod operacoes;
mod propriedades;
mod recusas;
mod simples;
