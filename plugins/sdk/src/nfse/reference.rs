//! Contents that point at a declaration or a note.

use super::Identificacao;
use serde::Deserialize;

/// Content `nfse.rps/1`: a declaration to look for at the authority.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RpsRef {
    pub serie: String,
    pub numero: u64,
    /// Kind of the RPS where a layout has more than one (ABRASF: 1).
    pub tipo: Option<String>,
    /// Id of the national DPS, 45 positions.
    pub id_dps: Option<String>,
    /// Protocol of the batch, where the city gave one.
    pub protocolo: Option<String>,
    /// Emission of the declaration, RFC 3339.
    pub emitido_em: Option<String>,
}

/// Content `nfse.ref/1`: a note that exists; what is known is filled.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct NotaRef {
    pub chave: Option<String>,
    pub numero: Option<String>,
    pub codigo_verificacao: Option<String>,
    pub protocolo: Option<String>,
    pub rps: Option<Identificacao>,
    /// RFC 3339.
    pub emitida_em: Option<String>,
}

/// Content `nfse.cancelamento/1`.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Cancelamento {
    pub documento: NotaRef,
    pub codigo_motivo: MotivoCancelamento,
    /// 15 to 255 characters.
    #[serde(default)]
    pub justificativa: String,
}

/// Why a note is cancelled; each layout has its own digits for these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MotivoCancelamento {
    ErroEmissao,
    ServicoNaoPrestado,
    Duplicidade,
    Outros,
}
