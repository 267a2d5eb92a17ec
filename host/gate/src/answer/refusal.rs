//! Refusals that several operations make: of all wrong members of a body, and
//! inside of an answer that is a success.

use base::errors::{Code, Failure, Refusal};
use markup::field::Field;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Por que algo foi recusado.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Recusa")]
pub struct RefusalOut {
    /// Um dos códigos de GET /api/v1/erros.
    codigo: String,
    /// O que aconteceu.
    mensagem: String,
    /// O que fazer.
    dica: String,
    /// Os campos a corrigir.
    campos: Vec<RefusedField>,
}

/// Um campo a corrigir.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CampoRecusado")]
pub struct RefusedField {
    campo: String,
    codigo: String,
    mensagem: String,
    correcao: String,
    /// O que veio, até 80 caracteres; ausente se é um dado pessoal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    valor: Option<String>,
}

impl From<Field> for RefusedField {
    fn from(field: Field) -> RefusedField {
        RefusedField {
            campo: field.campo,
            codigo: field.codigo,
            mensagem: field.mensagem,
            correcao: field.correcao,
            valor: field.valor,
        }
    }
}

impl From<Refusal> for RefusalOut {
    fn from(refusal: Refusal) -> RefusalOut {
        let entry = refusal.code.entry();
        let or = |own: Option<String>, common: &str| own.unwrap_or_else(|| common.to_owned());
        RefusalOut {
            codigo: entry.codigo.to_owned(),
            mensagem: or(refusal.message, entry.message),
            dica: or(refusal.hint, entry.hint),
            campos: refusal.fields.into_iter().map(Into::into).collect(),
        }
    }
}

/// Refuses with every wrong member of a body, each once.
pub fn wrong_members(wrong: Vec<Field>) -> Failure {
    let mut refusal = Refusal::new(Code::ParametroInvalido)
        .message("O pedido tem campos a corrigir.")
        .hint("Corrija os campos indicados.");
    for field in wrong {
        if !refusal.fields.contains(&field) {
            refusal.fields.push(field);
        }
    }
    refusal.into()
}
