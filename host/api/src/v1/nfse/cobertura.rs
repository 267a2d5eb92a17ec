//! GET /api/v1/nfse/cobertura: does the hub issue there, by which way, and
//! who says so. Needs no emitter.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::request::list::Query;
use crate::v1::nfse::municipality;
use crate::{Built, json};
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use base::when;
use flow::registry::Evidencia;
use serde_json::{Value, json as value};

pub fn built() -> Built {
    Built {
        operation: "nfse.cobertura",
        route: |method| on(method, cobertura),
        docs: municipality::docs(
            "Diz se a API emite NFS-e no município: sim, parcial, não ou não medido.",
        ),
    }
}

async fn cobertura(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiResult<Response> {
    let (registry, ibge) = municipality::asked(&call, &query)?;
    let today = when::utc(call.app.now_ms()).date();
    let found = registry
        .cobertura(ibge, today)
        .ok_or_else(municipality::unknown)?;
    let regimes: Vec<Value> = found
        .regimes
        .iter()
        .map(|regime| {
            value!({
                "regime": regime.regime.as_str(), "resposta": regime.resposta.as_str(), "resposta_codigo": regime.resposta.codigo(),
                "via": regime.via.map(|via| via.as_str()), "motivo": regime.motivo,
            })
        })
        .collect();
    Ok(json(
        200,
        &value!({
            "sucesso": true, "resposta": found.resposta.as_str(), "resposta_codigo": found.resposta.codigo(),
            "codigo_ibge": format!("{:07}", found.ibge), "cidade": found.cidade, "uf": found.uf,
            "via": found.via.map(|via| via.as_str()), "provedor": found.provedor, "padrao": found.padrao,
            "caminho": found.caminho, "ressalvas": found.ressalvas, "regimes": regimes,
            "evidencia": evidence(&found.evidencia), "request_id": call.caller.request_id,
        }),
    ))
}

/// A source as the API shows it.
pub fn evidence(evidencia: &Evidencia) -> Value {
    value!({ "fonte": evidencia.fonte, "medido_em": evidencia.verificado.to_string() })
}
