//! Service notes (NFS-e): neutral content, the rules that can be checked
//! before anything is sent, and those over a document that somebody made.

mod amounts;
mod check;
pub mod dps;
mod validate;
mod value;

pub use amounts::{Amounts, amounts};
pub use check::{NAMESPACE, REGRAS, check, root};
pub use dps::Dps;
pub use validate::{Issue, validate};
pub use value::FieldValue;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Content `nfse.rps/1`: a declaration to look for at the authority.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RpsRef {
    pub serie: String,
    pub numero: u64,
    /// Id of the national DPS (45 positions).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_dps: Option<String>,
    /// Protocol of the batch, where the city gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocolo: Option<String>,
    /// Emission of the declaration, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emitido_em: Option<String>,
    /// When the declaration was sent last, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enviado_em: Option<String>,
    /// Price of the declared service: a note with another one is not this
    /// declaration's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valor: Option<FieldValue>,
    /// CPF or CNPJ of the declared taker, as `valor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tomador: Option<String>,
}

/// Content `nfse.ref/1`: a note that exists; what is known is filled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotaRef {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_verificacao: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocolo: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rps: Option<dps::Identification>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emitida_em: Option<String>,
    /// When the declaration was sent last, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enviado_em: Option<String>,
    /// When a cancellation of the note was sent last, if its end is not known, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelamento_enviado_em: Option<String>,
}

/// Content `nfse.cancelamento/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cancelamento {
    pub documento: NotaRef,
    pub codigo_motivo: CancellationReason,
    /// 15 to 255 characters.
    pub justificativa: String,
}

/// Por que uma nota é cancelada; cada leiaute tem os próprios dígitos para
/// estes motivos.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MotivoCancelamento")]
#[serde(rename_all = "snake_case")]
pub enum CancellationReason {
    ErroEmissao,
    ServicoNaoPrestado,
    Duplicidade,
    Outros,
}

/// Names of the schemas, as `describe` and the contract write them.
pub const SCHEMA_RPS: &str = "nfse.rps/1";
pub const SCHEMA_REF: &str = "nfse.ref/1";
pub const SCHEMA_CANCELAMENTO: &str = "nfse.cancelamento/1";

/// The JSON Schemas of `wit/schemas/`, by name.
pub fn schemas() -> Vec<(&'static str, serde_json::Value)> {
    vec![
        (dps::SCHEMA, schemars::schema_for!(Dps).to_value()),
        (SCHEMA_RPS, schemars::schema_for!(RpsRef).to_value()),
        (SCHEMA_REF, schemars::schema_for!(NotaRef).to_value()),
        (
            SCHEMA_CANCELAMENTO,
            schemars::schema_for!(Cancelamento).to_value(),
        ),
    ]
}
