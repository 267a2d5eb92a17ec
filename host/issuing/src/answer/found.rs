//! What a question about a note brought: column `resultado` of the question,
//! and members of its answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::tables::notas::NotaStatus;

// What the authority says of a note.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Achado")]
pub struct Found {
    pub situacao: SeenStatus,
    /// O que a consulta corrigiu no registro, ou onde ele difere da autoridade;
    /// `null` se nada difere.
    pub divergencia: Option<Divergence>,
    pub mensagens: Vec<AuthorityMessage>,
}

/// A situação da nota, como a autoridade a mostra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SituacaoVista")]
#[serde(rename_all = "snake_case")]
pub enum SeenStatus {
    Autorizada,
    Cancelada,
    Substituida,
    NaoEncontrada,
    PendentePrefeitura,
    Denegada,
    Desconhecida,
}

/// O que difere entre o registro e a autoridade.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Divergencia")]
#[serde(untagged)]
pub enum Divergence {
    /// O registro foi corrigido.
    Corrigida {
        /// O status de antes.
        antes: NotaStatus,
        /// O status de agora.
        agora: NotaStatus,
    },
    /// O registro fica como está.
    Aberta {
        /// O status no registro.
        aqui: NotaStatus,
        autoridade: SeenStatus,
    },
}

/// Uma mensagem da autoridade, como veio.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MensagemDaAutoridade")]
pub struct AuthorityMessage {
    pub codigo: String,
    pub texto: String,
}

// What the authority says of a note, and a SEFAZ besides; the whole column of a
// question. A city leaves the rest out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AchadoNaSefaz")]
pub struct FoundAtSefaz {
    #[serde(flatten)]
    pub achado: Found,
    /// Código (cStat) da resposta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_sefaz: Option<String>,
    /// Texto (xMotivo) da resposta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mensagem_sefaz: Option<String>,
    /// Os eventos da nota que a SEFAZ mostra.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eventos: Option<Vec<SefazEvent>>,
}

/// Um evento da nota, como a SEFAZ o mostra.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EventoNaSefaz")]
pub struct SefazEvent {
    /// Código do tipo (tpEvento).
    pub tipo: String,
    pub cstat: String,
    pub motivo: String,
    pub protocolo: Option<String>,
    pub registrado_em: Option<String>,
    pub sequencia: Option<u32>,
}
