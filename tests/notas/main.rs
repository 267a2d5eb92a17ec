//! Product notes from the customer's JSON to a signed document, judged by
//! programs we did not write (libxml2 with the official schemas, xmlsec1) and
//! by the simulated SEFAZ, which shares no rule with the builder.

mod autoridade;
mod bancada;
mod debito_credito;
mod fora_do_cst;
mod icms;
mod impostos;
mod julgamento;
mod mercadorias;
mod oficial;
mod operacoes;
mod propriedades;
mod recusas;
mod rejeicoes;
mod simples;
