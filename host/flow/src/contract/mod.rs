//! The typed contract: Rust types of `wit/0.1.0`, made by wasmtime.
//!
//! The hub uses these types directly, in its journal too: what an adapter
//! said and what the database holds cannot drift apart.

pub mod permissions;

wasmtime::component::bindgen!({
    path: "../../wit/0.1.0",
    world: "nfse-adapter",
    additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
});

pub use exports::fiscal::provider::describe::{
    Description, EndpointSpec, OperationInfo, OptionKind, OptionSpec,
};
pub use fiscal::provider::control::*;
pub use fiscal::provider::{diagnostics, secrets, signer};

/// Package and version every import and export of an adapter must carry.
pub const PACKAGE: &str = "fiscal:provider";
pub const VERSION: &str = "0.1.0";

/// Which authority an adapter speaks to: the name of its exported interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum World {
    Nfse,
    Sefaz,
    Lookup,
}

impl World {
    pub const ALL: [World; 3] = [World::Nfse, World::Sefaz, World::Lookup];

    /// Name of the interface inside the package.
    pub fn interface(self) -> &'static str {
        match self {
            World::Nfse => "nfse",
            World::Sefaz => "sefaz",
            World::Lookup => "lookup",
        }
    }
}
