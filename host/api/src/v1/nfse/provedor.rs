//! POST /api/v1/fiscal/nfse/provedor: which system serves a municipality, and
//! whether the hub can issue there now. Charged when found.

use crate::v1::nfse::cobertura::{Evidence, ViaNfse};
use crate::v1::nfse::measurement::AccessOut;
use crate::v1::nfse::municipality::{self, find};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Failure;
use base::when;
use flow::registry::{Provedor, Registry};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::answer::filled;
use measured::access::{self, Access};
use measured::tier::SystemTier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    /// O hub emite por este sistema agora: o adaptador está instalado e o endereço de
    /// produção respondeu à sondagem desta chamada, ou à última que houve.
    emissao_pela_api: bool,
    /// `null`: os casos gravados do sistema provam menos que o nível mais baixo.
    nivel: Option<SystemTier>,
    /// Quando isso foi visto: agora, ou na última sondagem.
    medido_em: String,
    /// O que a sondagem do endereço de produção mostrou.
    acesso: AccessOut,
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
    let seen = look(&call, &registry, &found).await?;
    let answer = ProvedorOut {
        resposta: "sim",
        resposta_codigo: ProvedorCodigo::Sim,
        municipios: vec![record(found, seen)],
    };
    charge::paid(&call, answer).await
}

/// What was seen at a moment.
struct Seen {
    issues: bool,
    at_ms: i64,
    access: Access,
}

/// Whether the hub can issue by a system: its adapter is installed, and the address
/// answers, as far as anybody asked it.
async fn look(call: &Call, registry: &Arc<Registry>, found: &Provedor) -> Result<Seen, Failure> {
    let app = &call.app;
    let now_ms = app.now_ms();
    let mut seen = Seen {
        issues: installed(call, registry, found),
        at_ms: now_ms,
        access: Access::default(),
    };
    let today = when::utc(now_ms).date();
    let Some(address) = registry.main_address(found.ibge, today) else {
        return Ok(seen);
    };
    // No city is asked with a test key.
    let row = if call.caller.is_test() {
        measured::now::known(app, &address.url).await?
    } else {
        measured::now::fresh(app, registry, &address).await?
    };
    seen.access = Access::one(&address.url, row, &app.config);
    if let Some(row) = &seen.access.shown {
        seen.at_ms = row.at_ms;
        seen.issues &= !access::failed(row);
    }
    // Simulated authorities are asked by TLS whatever the registry says.
    seen.issues &= !app.config.authorities.never_sends(&address.url);
    Ok(seen)
}

/// Whether the adapter of the system is installed here, now.
fn installed(call: &Call, registry: &Registry, found: &Provedor) -> bool {
    let adapter = registry
        .system(&found.system)
        .and_then(|system| system.adapter.as_ref());
    adapter
        .and_then(|name| registry.adapters().find(|one| one.name == *name))
        .is_some_and(|adapter| call.app.catalog.current(&adapter.component).is_some())
}

fn record(found: Provedor, seen: Seen) -> MunicipalityProvider {
    MunicipalityProvider {
        codigo_ibge: municipality::code(found.ibge),
        cidade: found.city,
        uf: found.uf,
        provedor: found.provedor,
        nivel: SystemTier::of(&found.system),
        sistema: found.system,
        via: found.via.into(),
        padrao_abrasf: found.standard.strip_prefix("ABRASF ").map(str::to_owned),
        padrao: filled(&found.standard),
        url_producao: found.production_url,
        url_homologacao: found.url_homologacao,
        emissao_pela_api: seen.issues,
        medido_em: when::rfc3339(seen.at_ms),
        acesso: seen.access.into(),
        evidencia: found.evidence.into(),
    }
}
