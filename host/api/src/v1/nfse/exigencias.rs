//! GET /api/v1/nfse/cancelamento/exigencias: what the city demands to cancel.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::request::list::Query;
use crate::v1::nfse::municipality;
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use base::when;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "nfse.cancelamento.exigencias",
        route: |method| on(method, exigencias),
        docs: municipality::docs("Mostra o que o município exige para cancelar uma NFS-e."),
    }
}

async fn exigencias(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let (registry, ibge) = municipality::asked(&call, &query)?;
    let today = when::utc(call.app.now_ms()).date();
    let found = registry
        .exigencias(ibge, today)
        .ok_or_else(municipality::unknown)?;
    Ok(json(
        200,
        &value!({
            "sucesso": true, "codigo_ibge": format!("{:07}", found.ibge),
            "cancela_por_api": found.cancela_por_api.as_str(), "cancela_por_api_codigo": found.cancela_por_api.codigo(),
            "exigencias": found.exigencias, "prazo_dias": found.prazo_dias, "motivos_aceitos": found.motivos_aceitos,
            "fonte": super::cobertura::evidence(&found.evidencia), "request_id": call.caller.request_id,
        }),
    ))
}
