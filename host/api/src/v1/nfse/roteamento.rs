//! POST /api/v1/nfse/roteamento: by which way the emitter's next note leaves.

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::body;
use crate::{Built, json};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base::when;
use issuing::emitters::profile::{Perfil, ViaPedida};
use issuing::issue::{emitter, incomplete};
use issuing::route;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as value;

pub fn built() -> Built {
    Built {
        operation: "nfse.roteamento",
        route: |method| on(method, roteamento),
        docs: Docs::new("Diz por qual caminho sai a próxima NFS-e do emitente.")
            .body(schemars::schema_for!(RoteamentoIn).to_value()),
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct RoteamentoIn {
    /// Ausente: o emitente padrão da conta.
    emitente_id: Option<String>,
    via: ViaPedida,
    /// Dia do serviço; ausente: hoje.
    data_competencia: Option<String>,
    /// Onde o serviço é prestado: volta na resposta; o caminho é o da cidade do
    /// emitente.
    codigo_municipio_prestacao: Option<String>,
}

async fn roteamento(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: RoteamentoIn = body::read(value, call.tolerant)?;
    let app = &call.app;
    let mut conn = app.db.read().await?;
    let emitter = emitter(&mut conn, &call.caller, body.emitente_id.as_deref()).await?;
    drop(conn);
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let asked = match body.data_competencia.as_deref() {
        None => None,
        Some(text) => Some(when::parse_date(text).ok_or_else(|| {
            Refusal::field(
                Code::ParametroInvalido,
                "data_competencia",
                "Data inválida.",
                "Use AAAA-MM-DD.",
            )
        })?),
    };
    let municipio = perfil
        .municipio()
        .ok_or_else(|| incomplete("endereco.codigo_ibge", "Falta o município do emitente."))?;
    let registry = app.registry.load();
    let today = when::today(app.now_ms(), route::uf(&registry, municipio));
    let competencia = asked.unwrap_or(today);
    let regime = route::regime(perfil.opcao_simples());
    let via = perfil.via(body.via).into();
    let route = route::route(&registry, municipio, regime, competencia, via)?;
    let issues = route::component(&registry, &app.catalog, &route).is_ok();
    Ok(json(
        200,
        &value!({
            "sucesso": true, "via": route.via.as_str(), "provedor": route.nome, "padrao": route.padrao, "motivo": route.motivo,
            "emissao_pela_api": issues, "codigo_ibge": format!("{:07}", route.ibge), "cidade": route.municipio, "uf": route.uf,
            "codigo_municipio_prestacao": body.codigo_municipio_prestacao, "regime": regime.as_str(),
            "certificado_exigido": route.certificado_exigido, "credenciais_exigidas": route.credenciais_exigidas,
            "evidencia": super::cobertura::evidence(&route.evidencia), "medido_em": route.evidencia.verificado.to_string(),
            "request_id": call.caller.request_id,
        }),
    ))
}
