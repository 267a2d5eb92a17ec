//! GET /api/v1/nfse/cobertura: does the hub issue there, by which way, and
//! who says so. Needs no emitter.

use super::municipio::find;
use crate::api::gate::Call;
use crate::api::list::{Query, only};
use crate::api::openapi::Docs;
use crate::api::{Built, json};
use crate::errors::{Code, Failure, Refusal};
use crate::when;
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;
use flow::registry::Evidencia;
use serde_json::{Value, json as value};

pub fn built() -> Built {
    Built {
        operation: "nfse.cobertura",
        route: |method| on(method, cobertura),
        docs: Docs::new("Diz se a API emite NFS-e no município: sim, parcial, não ou não medido.")
            .query(
                "codigo_ibge",
                "Código IBGE de 7 dígitos.",
                value!({ "type": "string", "pattern": "^[0-9]{7}$" }),
            )
            .query(
                "cidade",
                "Nome do município, com uf.",
                value!({ "type": "string" }),
            )
            .query(
                "uf",
                "Sigla da UF.",
                value!({ "type": "string", "pattern": "^[A-Z]{2}$" }),
            ),
    }
}

async fn cobertura(call: Call, UrlQuery(query): UrlQuery<Query>) -> Result<Response, Failure> {
    only(&query, &["codigo_ibge", "cidade", "uf"])?;
    let text = |name: &str| query.get(name).map(String::as_str);
    let registry = call.app.registry.load();
    let ibge = find(&registry, text("codigo_ibge"), text("cidade"), text("uf"))?;
    let today = when::utc(call.app.now_ms()).date();
    let found = ibge
        .and_then(|ibge| registry.cobertura(ibge, today))
        .ok_or_else(|| {
            Refusal::new(Code::NaoEncontrado)
                .message("Este município não existe.")
                .hint("Confira o código IBGE ou o nome e a UF.")
        })?;
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
