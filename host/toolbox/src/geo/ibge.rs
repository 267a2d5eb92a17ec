//! GET /api/v1/geo/ibge/{codigo} and /api/v1/geo/extras/{codigo_ibge}: a
//! municipality by its code.

use super::city::{CityOut, by_code};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Refusal};
use data::municipalities::Municipality;
use data::{cities, postal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> [Built; 2] {
    [
        Built {
            operation: "geo.ibge.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra o município de um código IBGE; grátis se nenhum o tem.")
                .success::<Charged<CityOut>>(),
        },
        Built {
            operation: "geo.extras.get",
            route: |method| on(method, extras),
            docs: Docs::new("Mostra o que mais se sabe de um município: DDD, SIAFI, fuso, coordenadas e faixas de CEP; grátis se nenhum tem o código.")
                .success::<Charged<ExtrasOut>>(),
        },
    ]
}

/// O que mais se sabe de um município.
#[derive(Serialize, JsonSchema)]
struct ExtrasOut {
    #[serde(flatten)]
    municipio: CityOut,
    ddd: String,
    /// O código da Receita Federal (SIAFI, também chamado TOM).
    siafi: &'static str,
    /// O código da SEFAZ-SP; só municípios paulistas têm, e a tabela não está
    /// carregada: sempre `null`.
    gia: Option<String>,
    capital: bool,
    /// Nome no banco de fusos tz.
    fuso: Option<&'static str>,
    /// Horas de diferença de UTC; não há horário de verão.
    utc: i8,
    /// A sede, em graus.
    latitude: Option<f64>,
    longitude: Option<f64>,
    ceps: Vec<CepRange>,
}

/// Uma faixa de CEP.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FaixaDeCep")]
struct CepRange {
    de: String,
    ate: String,
    /// As ruas têm CEP próprio; se não, um CEP serve a todas.
    por_rua: bool,
}

async fn get(
    call: Call,
    Path(code): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<CityOut>> {
    only(&query, &[])?;
    let city = shown(by_code(&code)?)?;
    charge::paid(&call, city).await
}

async fn extras(
    call: Call,
    Path(code): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<ExtrasOut>> {
    only(&query, &[])?;
    let row = by_code(&code)?;
    let known = cities::get(row.codigo).ok_or_else(|| {
        Refusal::new(Code::SemResultado)
            .message("Nada mais se sabe deste município.")
            .hint("Consulte GET /api/v1/geo/ibge/{codigo}.")
    })?;
    let coordinates = known.coordinates();
    let answer = ExtrasOut {
        municipio: shown(row)?,
        ddd: known.ddd.to_string(),
        siafi: known.siafi,
        gia: None,
        capital: known.capital,
        fuso: known.zone(),
        utc: row.utc,
        latitude: coordinates.map(|(latitude, _)| latitude),
        longitude: coordinates.map(|(_, longitude)| longitude),
        ceps: postal::ranges_of(row.codigo).map(range).collect(),
    };
    charge::paid(&call, answer).await
}

fn shown(row: &Municipality) -> Result<CityOut, anyhow::Error> {
    CityOut::of(row).ok_or_else(|| anyhow::anyhow!("municipality {} has no state", row.codigo))
}

fn range(range: &postal::CityRange) -> CepRange {
    CepRange {
        de: format!("{:08}", range.first),
        ate: format!("{:08}", range.last),
        por_rua: range.by_street,
    }
}
