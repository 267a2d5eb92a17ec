//! /api/v1/veiculo

mod fipe;
mod placa;
mod placa_corrigir;
mod placa_formato;

use base::errors::{Code, Refusal};
use gate::docs::Built;
use schemars::JsonSchema;
use serde::Serialize;
use tools::plate;

pub fn built() -> Vec<Built> {
    let mut all = vec![
        placa::built(),
        placa_corrigir::built(),
        placa_formato::built(),
    ];
    all.extend(fipe::built());
    all
}

/// Forma de uma placa: `AAA9999`, ou `AAA9A99` (Res. CONTRAN 969/2022).
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FormatoDePlaca")]
#[serde(rename_all = "snake_case")]
enum Format {
    Antigo,
    Mercosul,
}

impl From<plate::Format> for Format {
    fn from(format: plate::Format) -> Format {
        match format {
            plate::Format::Old => Format::Antigo,
            plate::Format::Mercosul => Format::Mercosul,
        }
    }
}

/// A text that is no plate.
fn no_plate(field: &str) -> Refusal {
    Refusal::field(
        Code::ParametroInvalido,
        field,
        "Não é uma placa.",
        "Use sete letras e dígitos, como ABC1D23 ou ABC1234.",
    )
}
