//! What the recorded cases of a system prove, as the API shows it.

use flow::registry::{self, Tier};
use schemars::JsonSchema;
use serde::Serialize;

/// O que os casos gravados de um sistema provam: `bronze`, uma nota emitida, uma
/// recusada e uma cancelada; `prata`, também a consulta, a resposta cortada e a que não
/// se entende; `ouro`, também uma troca real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "NivelDoSistema")]
#[serde(rename_all = "snake_case")]
pub enum SystemTier {
    Bronze,
    Prata,
    Ouro,
}

impl SystemTier {
    /// The tier of a system of the registry; `None`: its cases prove less than the
    /// lowest one, or there are none.
    #[must_use]
    pub fn of(system: &str) -> Option<SystemTier> {
        registry::tier(system).map(|tier| match tier {
            Tier::Bronze => SystemTier::Bronze,
            Tier::Silver => SystemTier::Prata,
            Tier::Gold => SystemTier::Ouro,
        })
    }
}
