//! POST /api/v1/nfse/roteamento: by which way the emitter's next note leaves.

use super::cobertura::{Evidence, RegimeNfse, ViaNfse};
use super::municipality;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::emitters::profile::{Perfil, RequestedVia};
use issuing::issue::{emitter, incomplete};
use issuing::route;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "nfse.roteamento",
        route: |method| on(method, roteamento),
        docs: Docs::new("Diz por qual caminho sai a próxima NFS-e do emitente.")
            .body::<RoteamentoIn>()
            .success::<RoteamentoOut>(),
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct RoteamentoIn {
    /// Ausente: o emitente padrão da conta.
    emitente_id: Option<EmitterId>,
    via: RequestedVia,
    /// Dia do serviço; ausente: hoje.
    data_competencia: Option<String>,
    /// Onde o serviço é prestado: volta na resposta; o caminho é o da cidade do
    /// emitente.
    codigo_municipio_prestacao: Option<String>,
}

/// O caminho da próxima NFS-e do emitente.
#[derive(Serialize, JsonSchema)]
struct RoteamentoOut {
    via: ViaNfse,
    /// O sistema que recebe a nota.
    provedor: String,
    /// O leiaute dele; vazio: nenhuma fonte o diz.
    padrao: String,
    /// Por que este caminho, em uma frase.
    motivo: String,
    /// O hub emite por este caminho agora.
    emissao_pela_api: bool,
    codigo_ibge: String,
    cidade: String,
    uf: String,
    /// O do pedido.
    codigo_municipio_prestacao: Option<String>,
    regime: RegimeNfse,
    certificado_exigido: bool,
    /// Os nomes das credenciais que o sistema exige.
    credenciais_exigidas: Vec<String>,
    evidencia: Evidence,
    /// O mesmo que em `evidencia`.
    medido_em: String,
}

async fn roteamento(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<RoteamentoOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: RoteamentoIn = body::read(value, call.tolerant)?;
    let app = &call.app;
    let mut conn = app.db.read().await?;
    let emitter = emitter(&mut conn, &call.caller, body.emitente_id.as_ref()).await?;
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
    let municipality = perfil
        .municipality()
        .ok_or_else(|| incomplete("endereco.codigo_ibge", "Falta o município do emitente."))?;
    let registry = app.registry.load();
    let today = when::today(app.now_ms(), route::uf(&registry, municipality));
    let period = asked.unwrap_or(today);
    let regime = route::regime(perfil.simples_option());
    let via = perfil.via(body.via).into();
    let route = route::route(&registry, municipality, regime, period, via)?;
    let issues = route::component(&registry, &app.catalog, &route, &emitter.id).is_ok()
        && route::by_tls(app, &registry, &route, &route.production).is_ok();
    call.ok(RoteamentoOut {
        via: route.via.into(),
        provedor: route.name,
        padrao: route.standard,
        motivo: route.reason,
        emissao_pela_api: issues,
        codigo_ibge: municipality::code(route.ibge),
        cidade: route.municipality,
        uf: route.uf,
        codigo_municipio_prestacao: body.codigo_municipio_prestacao,
        regime: regime.into(),
        certificado_exigido: route.certificate_demanded,
        credenciais_exigidas: route.demanded_credentials,
        medido_em: route.evidence.verified.to_string(),
        evidencia: route.evidence.into(),
    })
}
