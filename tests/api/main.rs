//! The API, asked over HTTP and answered by the whole house.

mod bodies;
mod chaves;
mod clients;
mod common;
mod creditos;
mod documentation;
mod documentos;
mod emitters;
mod every_operation;
mod examples;
mod fiscal;
mod hardening;
mod idempotency;
mod limits;
mod mail;
mod nfe;
mod nfe_entrada;
mod nfse;
mod pessoas;
mod slow_clients;
mod storage;
mod system;
mod tenants;
mod toolbox;
mod usage;
mod worked_examples;
