//! POST /api/v1/fiscal/nfse/provedores: the systems and how much of Brazil
//! they serve.

use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::request::body;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::when;
use flow::registry::{ProvedorResumo, UfResumo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;

pub fn built() -> Built {
    Built {
        operation: "fiscal.nfse.provedores",
        route: |method| on(method, provedores),
        docs: Docs::new("Lista os sistemas de NFS-e, quantos municípios usam cada um e a parte do Brasil coberta.")
            .body(schemars::schema_for!(ProvedoresIn).to_value())
            .success::<ProvedoresOut>(),
    }
}

/// Um objeto vazio.
#[derive(Deserialize, JsonSchema)]
struct ProvedoresIn {}

/// Os sistemas de NFS-e e a parte do Brasil coberta.
#[derive(Serialize, JsonSchema)]
struct ProvedoresOut {
    /// O que tem mais municípios primeiro.
    provedores: Vec<SistemaNfse>,
    /// Por sigla da UF.
    por_uf: BTreeMap<String, CoberturaDaUf>,
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
struct SistemaNfse {
    nome: String,
    /// Identificador do sistema.
    sistema: String,
    /// O leiaute; vazio: nenhuma fonte o diz.
    padrao: String,
    /// Quantos municípios o usam.
    municipios: u32,
    /// O hub fala com ele.
    emissao_pela_api: bool,
}

impl From<ProvedorResumo> for SistemaNfse {
    fn from(found: ProvedorResumo) -> SistemaNfse {
        SistemaNfse {
            nome: found.nome,
            sistema: found.sistema,
            padrao: found.padrao,
            municipios: found.municipios,
            emissao_pela_api: found.emissao_pela_api,
        }
    }
}

/// Os municípios de uma UF.
#[derive(Serialize, JsonSchema)]
struct CoberturaDaUf {
    municipios: u32,
    /// Em quantos o hub emite.
    cobertos: u32,
    /// De quantos nenhuma fonte fala.
    nao_medidos: u32,
}

impl From<UfResumo> for CoberturaDaUf {
    fn from(found: UfResumo) -> CoberturaDaUf {
        CoberturaDaUf {
            municipios: found.municipios,
            cobertos: found.cobertos,
            nao_medidos: found.nao_medidos,
        }
    }
}

async fn provedores(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<ProvedoresOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    body::read::<ProvedoresIn>(value, call.tolerant)?;
    let now_ms = call.app.now_ms();
    let found = call
        .app
        .registry
        .load()
        .provedores(when::utc(now_ms).date());
    let states = found.por_uf.into_iter();
    let tenths = found.milesimos_brasil;
    call.ok(ProvedoresOut {
        provedores: found.provedores.into_iter().map(Into::into).collect(),
        por_uf: states.map(|(uf, one)| (uf, one.into())).collect(),
        municipios: found.municipios,
        cobertos: found.cobertos,
        percentual_brasil: format!("{}.{}", tenths / 10, tenths % 10).parse()?,
        nao_medidos: found.nao_medidos,
        medido_em: when::rfc3339(now_ms),
    })
}
