//! /api/v1/validate: what a number or an address is, by its form alone.

mod cnpj;
mod cpf;
mod email;
mod telefone;

use gate::docs::Built;
use markup::ids::IdError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub fn built() -> Vec<Built> {
    vec![
        cnpj::built(),
        cpf::built(),
        email::built(),
        telefone::built(),
    ]
}

/// Um número de CPF ou de CNPJ.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NumeroIn")]
struct NumberIn {
    /// Com ou sem máscara.
    #[schemars(length(min = 1, max = 40))]
    numero: String,
}

/// Por que um número não é válido.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MotivoDoNumero")]
#[serde(rename_all = "snake_case")]
enum Reason {
    /// Tamanho, caractere ou pontuação errados.
    Forma,
    /// Os dígitos verificadores não conferem.
    DigitoVerificador,
    /// Nunca é dado a ninguém, como o de algarismos todos iguais.
    NuncaAtribuido,
}

impl From<IdError> for Reason {
    fn from(error: IdError) -> Reason {
        match error {
            IdError::Shape | IdError::OutOfRange => Reason::Forma,
            IdError::CheckDigits => Reason::DigitoVerificador,
            IdError::NotAssigned => Reason::NuncaAtribuido,
        }
    }
}
