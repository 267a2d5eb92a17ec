//! POST /api/v1/fiscal/nfse/provedor: which system serves a municipality.
//! Charged when found.

use crate::v1::nfse::cobertura::{Evidence, ViaNfse};
use crate::v1::nfse::municipality::{self, find};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::when;
use flow::registry::{Provedor, Registry};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::answer::filled;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub fn built() -> Built {
    Built {
        operation: "fiscal.nfse.provedor",
        route: |method| on(method, provedor),
        docs: Docs::new("Diz qual sistema emite a NFS-e do município; grátis quando o município não está na base.")
            .body::<ProvedorIn>()
            .requires_any(&["codigo_ibge", "cidade"])
            .success::<Charged<ProvedorOut>>(),
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

/// Qual sistema emite a NFS-e do município.
#[derive(Serialize, JsonSchema)]
struct ProvedorOut {
    /// A resposta para pessoas: sim, ou não suportado.
    resposta: &'static str,
    resposta_codigo: ProvedorCodigo,
    /// O município; vazio se não está na base.
    municipios: Vec<MunicipalityProvider>,
}

/// O município está na base?
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ProvedorCodigo {
    Sim,
    NaoSuportado,
}

/// Um município e o sistema dele.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProvedorDoMunicipio")]
struct MunicipalityProvider {
    codigo_ibge: String,
    cidade: String,
    uf: String,
    /// Nome do sistema.
    provedor: String,
    /// Identificador do sistema.
    sistema: String,
    via: ViaNfse,
    /// O leiaute; `null`: nenhuma fonte o diz.
    padrao: Option<String>,
    /// A versão, se o leiaute é o da ABRASF.
    padrao_abrasf: Option<String>,
    /// `null`: nenhuma fonte o dá.
    url_producao: Option<String>,
    /// `null`: nenhuma fonte o dá.
    url_homologacao: Option<String>,
    /// O hub emite por este sistema agora.
    emissao_pela_api: bool,
    medido_em: String,
    evidencia: Evidence,
}

async fn provedor(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<ProvedorOut>> {
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
        let answer = ProvedorOut {
            resposta: "não suportado",
            resposta_codigo: ProvedorCodigo::NaoSuportado,
            municipios: Vec::new(),
        };
        return charge::free(&call, answer).await;
    };
    let issues = issues(&call, &registry, &found);
    let answer = ProvedorOut {
        resposta: "sim",
        resposta_codigo: ProvedorCodigo::Sim,
        municipios: vec![record(found, issues, now_ms)],
    };
    charge::paid(&call, answer).await
}

/// Whether the adapter of the system is installed here, now.
fn issues(call: &Call, registry: &Registry, found: &Provedor) -> bool {
    let adapter = registry
        .system(&found.system)
        .and_then(|system| system.adapter.as_ref());
    adapter
        .and_then(|name| registry.adapters().find(|one| one.name == *name))
        .is_some_and(|adapter| call.app.catalog.current(&adapter.component).is_some())
}

fn record(found: Provedor, issues: bool, now_ms: i64) -> MunicipalityProvider {
    MunicipalityProvider {
        codigo_ibge: municipality::code(found.ibge),
        cidade: found.city,
        uf: found.uf,
        provedor: found.provedor,
        sistema: found.system,
        via: found.via.into(),
        padrao_abrasf: found.standard.strip_prefix("ABRASF ").map(str::to_owned),
        padrao: filled(&found.standard),
        url_producao: found.production_url,
        url_homologacao: found.url_homologacao,
        emissao_pela_api: issues,
        medido_em: when::rfc3339(now_ms),
        evidencia: found.evidence.into(),
    }
}
