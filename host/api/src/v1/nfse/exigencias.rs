//! GET /api/v1/nfse/cancelamento/exigencias: what the city demands to cancel.

use super::cobertura::{AnswerCode, Evidence};
use crate::v1::nfse::municipality;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::Built;
use gate::request::list::Query;
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "nfse.cancelamento.exigencias",
        route: |method| on(method, exigencias),
        docs: municipality::docs("Mostra o que o município exige para cancelar uma NFS-e.")
            .success::<ExigenciasOut>(),
    }
}

/// O que o município exige para cancelar uma NFS-e.
#[derive(Serialize, JsonSchema)]
struct ExigenciasOut {
    codigo_ibge: String,
    /// Se a API cancela ali: sim, parcial, não ou não medido.
    cancela_por_api: &'static str,
    cancela_por_api_codigo: AnswerCode,
    /// As exigências, ou por que a API não cancela.
    exigencias: Vec<String>,
    /// Dias depois da emissão; `null`: nenhuma fonte dá um número fixo.
    prazo_dias: Option<u32>,
    motivos_aceitos: Vec<String>,
    fonte: Evidence,
}

async fn exigencias(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<ExigenciasOut> {
    let (registry, ibge) = municipality::asked(&call, &query)?;
    let today = when::utc(call.app.now_ms()).date();
    let found = registry
        .exigencias(ibge, today)
        .ok_or_else(municipality::unknown)?;
    call.ok(ExigenciasOut {
        codigo_ibge: municipality::code(found.ibge),
        cancela_por_api: found.cancels_by_api.as_str(),
        cancela_por_api_codigo: found.cancels_by_api.into(),
        exigencias: found.exigencias,
        prazo_dias: found.deadline_days,
        motivos_aceitos: found.accepted_reasons,
        fonte: found.evidence.into(),
    })
}
