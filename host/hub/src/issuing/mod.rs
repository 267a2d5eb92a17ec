//! The life of a document: number, hold, flow, settlement.
//!
//! Three short transactions carry it: reserve, intent (the journal's first
//! request), settle; the others only move leases and the log of calls. Nothing is sent before its intent is durable, and
//! no transaction is open while a request is on the wire.

pub mod answer;
pub mod autorizador;
pub mod cancel;
pub mod clients;
pub mod context;
pub mod credito;
pub mod customer;
mod desk;
pub mod disjuntor;
pub mod documento;
pub mod emitters;
pub mod entrada;
pub mod evento;
pub mod impressao;
pub mod inbound_schedule;
pub mod inutilizar;
pub mod issue;
pub mod journal;
pub mod manifestacao;
pub mod modelo;
mod moment;
pub mod notices;
mod notify;
pub mod outside;
pub mod perfil;
pub mod pergunta;
pub mod produto;
mod qr;
pub mod query;
mod rechave;
mod running;
pub mod sem_nota;
pub mod settle;
mod texto;
pub mod transport;
mod wait;
pub mod way;
pub mod work;

pub use desk::{Issuing, Parts};
pub use notify::Notifier;
pub use running::Running;
