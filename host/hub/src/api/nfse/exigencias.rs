//! GET /api/v1/nfse/cancelamento/exigencias: what the city demands to cancel.

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
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "nfse.cancelamento.exigencias",
        route: |method| on(method, exigencias),
        docs: Docs::new("Mostra o que o município exige para cancelar uma NFS-e.")
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

async fn exigencias(call: Call, UrlQuery(query): UrlQuery<Query>) -> Result<Response, Failure> {
    only(&query, &["codigo_ibge", "cidade", "uf"])?;
    let text = |name: &str| query.get(name).map(String::as_str);
    let registry = call.app.registry.load();
    let ibge = find(&registry, text("codigo_ibge"), text("cidade"), text("uf"))?;
    let today = when::utc(call.app.now_ms()).date();
    let found = ibge
        .and_then(|ibge| registry.exigencias(ibge, today))
        .ok_or_else(|| {
            Refusal::new(Code::NaoEncontrado)
                .message("Este município não existe.")
                .hint("Confira o código IBGE ou o nome e a UF.")
        })?;
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
