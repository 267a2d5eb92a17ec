//! POST /api/v1/fiscal/nfse/provedores: the systems and how much of Brazil
//! they serve.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::body;
use crate::{Built, json};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::when;
use issuing::answer;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json as value};

pub fn built() -> Built {
    Built {
        operation: "fiscal.nfse.provedores",
        route: |method| on(method, provedores),
        docs: Docs::new("Lista os sistemas de NFS-e, quantos municípios usam cada um e a parte do Brasil coberta.")
            .body(schemars::schema_for!(ProvedoresIn).to_value()),
    }
}

/// Um objeto vazio.
#[derive(Deserialize, JsonSchema)]
struct ProvedoresIn {}

async fn provedores(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let value = body::parse(&call, &headers, &bytes)?;
    body::read::<ProvedoresIn>(value, call.tolerant)?;
    let now_ms = call.app.now_ms();
    let found = call
        .app
        .registry
        .load()
        .provedores(when::utc(now_ms).date());
    let systems: Vec<Value> = found
        .provedores
        .iter()
        .map(|one| {
            value!({
                "nome": one.nome, "sistema": one.sistema, "padrao": one.padrao, "municipios": one.municipios,
                "emissao_pela_api": one.emissao_pela_api,
            })
        })
        .collect();
    let states: Map<String, Value> = found
        .por_uf
        .iter()
        .map(|(uf, one)| {
            let numbers = value!({
                "municipios": one.municipios, "cobertos": one.cobertos, "nao_medidos": one.nao_medidos,
            });
            (uf.clone(), numbers)
        })
        .collect();
    let tenths = found.milesimos_brasil;
    let percent = format!("{}.{}", tenths / 10, tenths % 10);
    Ok(json(
        200,
        &value!({
            "sucesso": true, "provedores": systems, "por_uf": states, "municipios": found.municipios,
            "cobertos": found.cobertos, "percentual_brasil": answer::number(&percent), "nao_medidos": found.nao_medidos,
            "medido_em": when::rfc3339(now_ms), "request_id": call.caller.request_id,
        }),
    ))
}
