//! POST /api/v1/fiscal/simples/fator-r: annex III or annex V.

use super::{StepOut, fraction, refused};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use fiscal::nfe::order::Number;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use markup::decimal::Exact;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::simples::{SimplesError, factor_r};

pub fn built() -> Built {
    Built {
        operation: "fiscal.simples.fator-r",
        route: |method| on(method, fator_r),
        docs: Docs::new("Calcula o Fator R: a folha de doze meses dividida pela receita, o anexo e as duas alíquotas.")
            .body::<FatorRIn>()
            .success::<Charged<FatorROut>>(),
    }
}

/// A folha e a receita dos mesmos doze meses, em reais.
#[derive(Deserialize, JsonSchema)]
struct FatorRIn {
    /// Salários, pró-labore e encargos de doze meses (LC 123/2006, art. 18, §24).
    folha12: Number,
    /// Receita bruta de doze meses.
    rbt12: Number,
}

/// O Fator R e o anexo a que leva.
#[derive(Serialize, JsonSchema)]
struct FatorROut {
    /// Folha dividida pela receita, com seis casas.
    fator_r: Exact,
    veredito: Verdict,
    /// Alíquota efetiva do anexo III, como fração: 0,0652 é 6,52%.
    aliquota_anexo_iii: Exact,
    aliquota_anexo_iii_percentual: Exact,
    /// Alíquota efetiva do anexo V, como fração.
    aliquota_anexo_v: Exact,
    aliquota_anexo_v_percentual: Exact,
    /// O anexo V menos o anexo III, em pontos percentuais.
    diferenca_pp: Exact,
    trilha: Vec<StepOut>,
}

/// O anexo do serviço.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VereditoDoFatorR")]
#[serde(rename_all = "snake_case")]
enum Verdict {
    AnexoIii,
    AnexoV,
}

async fn fator_r(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<FatorROut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: FatorRIn = body::read(value, call.tolerant)?;
    let field = if *body.folha12 < Decimal::ZERO {
        "folha12"
    } else {
        "rbt12"
    };
    let found = factor_r(*body.folha12, *body.rbt12)
        .map_err(|error: SimplesError| refused(error, field))?;
    let answer = FatorROut {
        fator_r: Exact(found.ratio),
        veredito: match found.annex {
            data::simples::Annex::Iii => Verdict::AnexoIii,
            _ => Verdict::AnexoV,
        },
        aliquota_anexo_iii: fraction(found.rate_iii),
        aliquota_anexo_iii_percentual: Exact(found.rate_iii),
        aliquota_anexo_v: fraction(found.rate_v),
        aliquota_anexo_v_percentual: Exact(found.rate_v),
        diferenca_pp: Exact(found.difference),
        trilha: found.steps.into_iter().map(StepOut::from).collect(),
    };
    charge::paid(&call, answer).await
}
