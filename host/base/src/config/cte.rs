//! `[cte]`: whether CT-e are sent.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cte {
    pub transmissao: Transmission,
}

/// Whether, and where, transport documents are sent to an authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transmission {
    /// Not at all: the operations that send answer `cte_em_teste`.
    Desligada,
    /// To homologation and to the simulated authorities, for accounts that were
    /// released (`hub release`).
    Teste,
}
