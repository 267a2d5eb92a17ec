//! POST /api/v1/fiscal/nfse/provedor: which system serves a municipality.
//! Charged when found.

use crate::Built;
use crate::gate::Call;
use crate::gate::charge;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::body;
use crate::v1::nfse::cobertura::evidence;
use crate::v1::nfse::municipality::find;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::when;
use flow::registry::{Provedor, Registry};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json as value};

pub fn built() -> Built {
    Built {
        operation: "fiscal.nfse.provedor",
        route: |method| on(method, provedor),
        docs: Docs::new("Diz qual sistema emite a NFS-e do município; grátis quando o município não está na base.")
            .body(schemars::schema_for!(ProvedorIn).to_value())
            .requires_any(&["codigo_ibge", "cidade"]),
    }
}

/// Pelo código, ou pelo nome e pela UF.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ProvedorIn {
    /// Código IBGE de sete dígitos.
    #[schemars(regex(pattern = r"^[0-9]{7}$"))]
    codigo_ibge: Option<String>,
    cidade: Option<String>,
    uf: Option<String>,
}

async fn provedor(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: ProvedorIn = body::read(value, call.tolerant)?;
    let app = &call.app;
    let registry = app.registry.load();
    let ibge = find(
        &registry,
        body.codigo_ibge.as_deref(),
        body.cidade.as_deref(),
        body.uf.as_deref(),
    )?;
    let now_ms = app.now_ms();
    let found = ibge.and_then(|ibge| registry.provedor(ibge, when::utc(now_ms).date()));
    let Some(found) = found else {
        let answer = value!({ "resposta": "não suportado", "resposta_codigo": "nao_suportado", "municipios": [] });
        return charge::answer_free(&call, answer).await;
    };
    let issues = issues(&call, &registry, &found);
    let answer = value!({ "resposta": "sim", "resposta_codigo": "sim", "municipios": [record(&found, issues, now_ms)] });
    charge::answer(&call, answer).await
}

/// Whether the adapter of the system is installed here, now.
fn issues(call: &Call, registry: &Registry, found: &Provedor) -> bool {
    let adapter = registry
        .system(&found.sistema)
        .and_then(|system| system.adapter.as_ref());
    adapter
        .and_then(|name| registry.adapters().find(|one| one.nome == *name))
        .is_some_and(|adapter| call.app.catalog.current(&adapter.componente).is_some())
}

fn record(found: &Provedor, issues: bool, now_ms: i64) -> Value {
    value!({
        "codigo_ibge": format!("{:07}", found.ibge),
        "cidade": found.cidade,
        "uf": found.uf,
        "provedor": found.provedor,
        "sistema": found.sistema,
        "via": found.via.as_str(),
        "padrao": Some(&found.padrao).filter(|text| !text.is_empty()),
        "padrao_abrasf": found.padrao.strip_prefix("ABRASF "),
        "url_producao": found.url_producao,
        "url_homologacao": found.url_homologacao,
        "emissao_pela_api": issues,
        "medido_em": when::rfc3339(now_ms),
        "evidencia": evidence(&found.evidencia),
    })
}
