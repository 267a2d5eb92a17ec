//! Simulated authorities: the national NFS-e, city halls, the authorizers of
//! NF-e and NFC-e, and a payment service provider: in process for test keys,
//! and as a TLS server for tests and contributors.
//!
//! Nothing here is shared with the adapters: the simulator reads the same
//! published facts and draws its own conclusions, so that a mistake on one
//! side shows.

mod clock;
mod documents;
mod engine;
mod nfse;
mod notes;
pub mod pki;
mod provider;
mod request;
mod sefaz;
mod server;
mod sim;
mod xml;

pub use clock::Clock;
pub use engine::faults::{Fault, FaultKind, When};
pub use notes::{Event, Nota, Status};
pub use pki::Pki;
pub use provider::{chatapp, psp};
pub use request::{SimAnswer, SimRequest};
pub use sefaz::{DepositOrder, Voiding};
pub use server::{ServeError, ServerHandle, TlsProfile, serve, serve_renegotiating, serve_with};
pub use sim::{Counts, MAX_BODY, NotaSummary, Overview, Sim, SimConfig};
