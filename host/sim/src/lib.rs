//! Simulated authorities: the national NFS-e, city halls (written by hand, or
//! learned from recorded exchanges), the authorizers of
//! NF-e and NFC-e, and a payment service provider: in process for test keys,
//! and as a TLS server for tests and contributors.
//!
//! Nothing here is shared with the adapters: the simulator reads the same
//! published facts and draws its own conclusions, so that a mistake on one
//! side shows.

pub mod clock;
pub mod documents;
mod engine;
pub mod nfse;
mod notes;
pub mod pki;
mod provider;
mod request;
pub mod sefaz;
mod server;
mod sim;
pub mod xml;

pub use clock::Clock;
pub use engine::faults::{self, Fault, FaultKind, When};
pub use nfse::learned::Cities;
pub use notes::{Event, Nota, Status};
pub use pki::Pki;
pub use provider::{chatapp, psp, sources};
pub use request::{SimAnswer, SimRequest};
pub use sefaz::{DepositOrder, Voiding};
pub use server::{
    ServeError, ServerHandle, TlsProfile, renegotiation, serve, serve_renegotiating, serve_with,
};
pub use sim::{Counts, MAX_BODY, NotaSummary, Overview, Sim, SimConfig};
