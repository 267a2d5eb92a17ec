//! /api/v1/creditos/compras

mod create;
mod get;
mod record;
mod reembolso;

use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![create::built(), get::built(), reembolso::built()]
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
