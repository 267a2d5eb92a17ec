//! Simulated authorities: the national NFS-e, city halls, the authorizers of
//! NF-e and NFC-e, and a payment service provider: in process for test keys,
//! and as a TLS server for tests and contributors.
//!
//! Nothing here is shared with the adapters: the simulator reads the same
//! published facts and draws its own conclusions, so that a mistake on one
//! side shows.

mod abrasf;
pub mod chatapp;
mod clock;
mod control;
mod documents;
mod engine;
mod faults;
mod journal;
mod layout;
mod national;
pub mod pki;
mod provider;
pub mod psp;
mod renegociacao;
mod request;
mod sefaz;
mod server;
mod signature;
mod sim;
mod state;
mod xml;

pub use faults::{Falha, Quando, Tipo};
pub use pki::Pki;
pub use renegociacao::serve_renegotiating;
pub use request::{SimAnswer, SimRequest};
pub use sefaz::{Deposito, Inutilizacao};
pub use server::{Perfil, ServeError, ServerHandle, serve, serve_with};
pub use sim::{Clock, Contagens, Estado, MAX_BODY, NotaResumo, Sim, SimConfig};
pub use state::{Evento, Nota, Situacao};
