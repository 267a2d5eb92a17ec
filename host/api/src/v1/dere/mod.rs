//! /api/v1/dere: events of the DeRE, beta. They are written, judged and signed
//! here; nothing is sent.

mod eventos;
mod lotes;

use gate::answer::Answer;
use gate::docs::Built;
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Vec<Built> {
    vec![
        eventos::built(),
        lotes::built(),
        lotes::get::built(),
        lotes::revalidar::built(),
    ]
}

/// Header that says which part of the API is a beta.
const BETA: &str = "X-Beta";
/// What every answer says of sending.
const NOT_SENT: &str = "Beta: o evento é conferido com o leiaute e assinado aqui; nada é transmitido à Receita Federal nem ao Comitê Gestor do IBS.";

/// Se algo foi transmitido.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TransmissaoDaDere")]
#[serde(rename_all = "snake_case")]
enum Sending {
    /// Nesta versão nada é transmitido.
    NaoDisponivel,
}

/// An answer of the beta.
fn beta<B>(answer: Answer<B>) -> Answer<B> {
    answer.header("x-beta", "dere")
}
