//! /api/v1/creditos/compras

mod create;
mod get;
mod record;
mod reembolso;

use crate::Built;
use crate::gate::Call;
use base::errors::{Code, Failure, Refusal};
use issuing::answer;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

pub fn built() -> Vec<Built> {
    vec![create::built(), get::built(), reembolso::built()]
}

/// R$, com duas casas decimais.
// Holds credits: 1 credit is R$ 0,01.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(transparent)]
pub struct Reais(#[schemars(with = "f64")] pub i64);

impl Serialize for Reais {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        answer::number(&format!("{}.{:02}", self.0 / 100, self.0 % 100)).serialize(serializer)
    }
}

/// Money moves with live keys only.
fn with_live_key(call: &Call) -> Result<(), Failure> {
    if call.caller.is_test() {
        return Err(Refusal::new(Code::ChaveDeTeste)
            .message("Créditos são comprados e reembolsados com uma chave de produção.")
            .hint("Use uma chave de produção; as duas gastam do mesmo saldo.")
            .into());
    }
    Ok(())
}
