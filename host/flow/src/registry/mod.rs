//! The registry of municipal service-note systems and of the state
//! authorities of NF-e and NFC-e: `providers.toml`, read once, checked whole, and asked by pure functions.
//!
//! [`Registry::parse`] turns the text into an immutable value or into the list
//! of everything wrong with it, each with its line. The answers take the date
//! and the regime as arguments: nothing here reads a clock. [`Snapshot`] holds
//! the value a process is using and replaces it in one step.
//!
//! The fields of the file are explained in `docs/REGISTRY.md`.

mod address;
mod addresses;
mod cancellation;
mod coverage;
mod dates;
mod error;
mod export;
mod model;
mod names;
mod parse;
mod providers;
mod route;
mod sefaz;
mod snapshot;
mod tiers;

pub use addresses::{Address, Scope};
pub use cancellation::Exigencias;
pub use coverage::{Answer, Cobertura, CoberturaRegime};
pub use error::RegistryError;
pub use export::{Change, Difference};
pub use model::{
    Adapter, Autorizador, Caminho, Cancelamento, Certificado, Conflict, Endpoints, Evidence, Leg,
    Model, Municipality, OptionKind, OptionSpec, OptionValue, Options, Refusal, Regime, Registry,
    Root, Rule, Services, Source, System, TlsEvidence, TlsProfile, Uf,
};
pub use names::fold;
pub use parse::MAX_BYTES;
pub use providers::{Provedor, Provedores, ProviderSummary, UfSummary};
pub use route::{NoRoute, Route, Via};
pub use sefaz::RotaSefaz;
pub use snapshot::Snapshot;
use std::sync::{Arc, OnceLock};
pub use tiers::{BUILT_IN as TIERS, Tier, tier};

/// The registry built into the program.
pub const BUILT_IN: &str = include_str!("../../../../providers.toml");

/// The same, read: once per process, however many hubs start in it.
///
/// # Errors
/// Everything wrong with the text.
pub fn built_in() -> Result<Arc<Registry>, Vec<RegistryError>> {
    static READ: OnceLock<Arc<Registry>> = OnceLock::new();
    if let Some(read) = READ.get() {
        return Ok(Arc::clone(read));
    }
    let read = Arc::new(Registry::parse(BUILT_IN)?);
    Ok(Arc::clone(READ.get_or_init(|| read)))
}
