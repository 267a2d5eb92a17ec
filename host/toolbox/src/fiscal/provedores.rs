//! POST /api/v1/fiscal/nfse/provedores: the systems and how much of Brazil
//! they serve.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::when;
use flow::registry::{ProviderSummary, UfSummary};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use measured::access::{self, Counts};
use measured::tier::SystemTier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;

pub fn built() -> Built {
    Built {
        operation: "fiscal.nfse.provedores",
        route: |method| on(method, provedores),
        docs: Docs::new("Lista os sistemas de NFS-e, quantos municípios usam cada um e a parte do Brasil coberta.")
            .body::<ProvedoresIn>()
            .success::<ProvedoresOut>(),
    }
}

/// Um objeto vazio.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
struct ProvedoresIn {}

/// Os sistemas de NFS-e e a parte do Brasil coberta.
#[derive(Serialize, JsonSchema)]
struct ProvedoresOut {
    /// O que tem mais municípios primeiro.
    provedores: Vec<NfseSystem>,
    /// Por sigla da UF.
    por_uf: BTreeMap<String, UfCoverage>,
    /// Municípios do Brasil.
    municipios: u32,
    /// Municípios em que o hub emite.
    cobertos: u32,
    /// Parte coberta dos municípios, em percentual com uma casa.
    percentual_brasil: Number,
    /// Municípios de que nenhuma fonte fala.
    nao_medidos: u32,
    medido_em: String,
}

/// Um sistema de NFS-e.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SistemaNfse")]
struct NfseSystem {
    nome: String,
    /// Identificador do sistema.
    sistema: String,
    /// O leiaute; vazio: nenhuma fonte o diz.
    padrao: String,
    /// Quantos municípios o usam.
    municipios: u32,
    /// O hub fala com ele.
    emissao_pela_api: bool,
    /// `null`: os casos gravados provam menos que o nível mais baixo.
    nivel: Option<SystemTier>,
    /// O que as sondagens dizem dos endereços de produção dele; `null`: o hub não fala
    /// com ele.
    acesso: Option<SystemAccess>,
}

/// Os endereços de produção de um sistema, pelo que a última sondagem de cada um
/// mostrou.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AcessoDoSistema")]
struct SystemAccess {
    enderecos: u32,
    respondem: u32,
    /// Falharam, poucas vezes ainda, ou respondem com erro.
    instaveis: u32,
    /// Falharam várias vezes seguidas.
    fora: u32,
    /// São http, e o operador deste hub não aceita enviar sem TLS.
    sem_tls: u32,
    nao_medidos: u32,
    /// A sondagem mais nova; `null`: nenhuma.
    medido_em: Option<String>,
}

impl From<Counts> for SystemAccess {
    fn from(counts: Counts) -> SystemAccess {
        let newest_ms = counts.newest_ms;
        SystemAccess {
            enderecos: counts.addresses,
            respondem: counts.answering,
            instaveis: counts.unsteady,
            fora: counts.down,
            sem_tls: counts.plain_http,
            nao_medidos: counts.not_measured,
            medido_em: (newest_ms > 0).then(|| when::rfc3339(newest_ms)),
        }
    }
}

impl NfseSystem {
    fn new(found: ProviderSummary, counts: Option<Counts>) -> NfseSystem {
        NfseSystem {
            nome: found.name,
            nivel: SystemTier::of(&found.system),
            sistema: found.system,
            padrao: found.standard,
            municipios: found.municipalities,
            emissao_pela_api: found.issue_by_api,
            acesso: counts.map(Into::into),
        }
    }
}

/// Os municípios de uma UF.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CoberturaDaUf")]
struct UfCoverage {
    municipios: u32,
    /// Em quantos o hub emite.
    cobertos: u32,
    /// De quantos nenhuma fonte fala.
    nao_medidos: u32,
}

impl From<UfSummary> for UfCoverage {
    fn from(found: UfSummary) -> UfCoverage {
        UfCoverage {
            municipios: found.municipalities,
            cobertos: found.covered,
            nao_medidos: found.not_measured,
        }
    }
}

async fn provedores(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<ProvedoresOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    body::read::<ProvedoresIn>(value, call.tolerant)?;
    let app = &call.app;
    let now_ms = app.now_ms();
    let today = when::utc(now_ms).date();
    let registry = app.registry.load();
    let found = registry.provedores(today);
    let mut conn = app.db.read().await?;
    let access = access::by_system(&mut conn, &registry, today, &app.config).await?;
    drop(conn);
    let states = found.by_uf.into_iter();
    let tenths = found.brazil_thousandths;
    call.ok(ProvedoresOut {
        provedores: found
            .provedores
            .into_iter()
            .map(|one| {
                let counts = access.get(&one.system).copied();
                NfseSystem::new(one, counts)
            })
            .collect(),
        por_uf: states.map(|(uf, one)| (uf, one.into())).collect(),
        municipios: found.municipalities,
        cobertos: found.covered,
        percentual_brasil: format!("{}.{}", tenths / 10, tenths % 10).parse()?,
        nao_medidos: found.not_measured,
        medido_em: when::rfc3339(now_ms),
    })
}
