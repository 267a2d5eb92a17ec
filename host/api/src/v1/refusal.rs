//! A refusal inside an answer that is a success.

use base::errors::Refusal;
use markup::field::Campo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Por que algo foi recusado.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recusa {
    /// Um dos códigos de GET /api/v1/erros.
    codigo: String,
    /// O que aconteceu.
    mensagem: String,
    /// O que fazer.
    dica: String,
    /// Os campos a corrigir.
    campos: Vec<CampoRecusado>,
}

/// Um campo a corrigir.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct CampoRecusado {
    campo: String,
    codigo: String,
    mensagem: String,
    correcao: String,
    /// O que veio, até 80 caracteres; ausente se é um dado pessoal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    valor: Option<String>,
}

impl From<Campo> for CampoRecusado {
    fn from(campo: Campo) -> CampoRecusado {
        CampoRecusado {
            campo: campo.campo,
            codigo: campo.codigo,
            mensagem: campo.mensagem,
            correcao: campo.correcao,
            valor: campo.valor,
        }
    }
}

impl From<Refusal> for Recusa {
    fn from(refusal: Refusal) -> Recusa {
        let entry = refusal.code.entry();
        let or = |own: Option<String>, common: &str| own.unwrap_or_else(|| common.to_owned());
        Recusa {
            codigo: entry.codigo.to_owned(),
            mensagem: or(refusal.mensagem, entry.mensagem),
            dica: or(refusal.dica, entry.dica),
            campos: refusal.campos.into_iter().map(Into::into).collect(),
        }
    }
}
