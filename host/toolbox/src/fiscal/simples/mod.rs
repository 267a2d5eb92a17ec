//! /api/v1/fiscal/simples

mod aliquota;
mod fator_r;

use base::errors::{Code, Failure, Refusal};
use gate::docs::Built;
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::simples::{LIMIT, SimplesError, Step};

pub fn built() -> Vec<Built> {
    vec![aliquota::built(), fator_r::built()]
}

/// Um passo do cálculo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PassoDoSimples")]
struct StepOut {
    /// O nome da regra.
    passo: &'static str,
    /// A regra com os números do caso.
    formula: String,
    /// O artigo da lei.
    artigo: &'static str,
}

impl From<Step> for StepOut {
    fn from(step: Step) -> StepOut {
        StepOut {
            passo: step.rule,
            formula: step.formula,
            artigo: step.ground,
        }
    }
}

/// Anexo do Simples Nacional.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AnexoDoSimples")]
#[serde(rename_all = "UPPERCASE")]
enum Annex {
    I,
    Ii,
    Iii,
    Iv,
    V,
}

impl From<Annex> for data::simples::Annex {
    fn from(annex: Annex) -> data::simples::Annex {
        match annex {
            Annex::I => data::simples::Annex::I,
            Annex::Ii => data::simples::Annex::Ii,
            Annex::Iii => data::simples::Annex::Iii,
            Annex::Iv => data::simples::Annex::Iv,
            Annex::V => data::simples::Annex::V,
        }
    }
}

/// A fraction of one, where the API shows rates as both.
fn fraction(percent: rust_decimal::Decimal) -> Exact {
    Exact((percent / rust_decimal::Decimal::ONE_HUNDRED).normalize())
}

/// What is wrong with the revenue of twelve months, or with the payroll.
fn refused(error: SimplesError, field: &str) -> Failure {
    match error {
        SimplesError::Negative => Refusal::field(
            Code::ParametroInvalido,
            field,
            "O valor não pode ser negativo.",
            "Informe zero ou um valor positivo.",
        ),
        SimplesError::TooBig => Refusal::field(
            Code::ParametroInvalido,
            field,
            "O valor é grande demais.",
            "Confira o valor, em reais.",
        ),
        SimplesError::AboveLimit => Refusal::field(
            Code::ReceitaAcimaDoSimples,
            field,
            &format!(
                "A receita de doze meses passa de {}.",
                markup::format::money(Some(LIMIT))
            ),
            "Confira a receita; acima do limite não há alíquota do Simples.",
        ),
    }
    .into()
}
