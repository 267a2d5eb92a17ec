//! GET /api/v1/veiculo/placa/{placa}: the vehicle of a plate.

use super::no_plate;
use crate::lookup::{self, Origin};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use lookups::Question;
use lookups::answers::{Candidate, Vehicle};
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;
use tools::plate::Plate;

pub fn built() -> Built {
    Built {
        operation: "veiculo.placa.get",
        route: |method| on(method, vehicle),
        docs: Docs::new("Mostra o veículo de uma placa, da fonte configurada, sem dados do dono; grátis sem resultado.")
            .success::<Charged<VehicleOut>>(),
    }
}

/// Um veículo; `null` é o que a fonte não diz.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Veiculo")]
struct VehicleOut {
    placa: String,
    /// A mesma placa na forma Mercosul.
    placa_mercosul: String,
    marca: String,
    modelo: String,
    versao: Option<String>,
    ano_fabricacao: Option<i32>,
    ano_modelo: Option<i32>,
    cor: Option<String>,
    combustivel: Option<String>,
    municipio: Option<String>,
    uf: Option<String>,
    /// Modelos da tabela FIPE que o veículo pode ser.
    fipe: Vec<CandidateOut>,
    #[serde(flatten)]
    origem: Origin,
}

/// Um modelo da tabela FIPE.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ModeloFipe")]
struct CandidateOut {
    codigo: Option<String>,
    descricao: Option<String>,
    valor: Option<Exact>,
}

impl From<Candidate> for CandidateOut {
    fn from(one: Candidate) -> CandidateOut {
        CandidateOut {
            codigo: one.codigo,
            descricao: one.descricao,
            valor: one.valor.map(Exact),
        }
    }
}

async fn vehicle(
    call: Call,
    Path(text): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<VehicleOut>> {
    only(&query, &[])?;
    let plate = Plate::parse(&text).map_err(|_| no_plate("placa"))?;
    charge::affordable(&call).await?;
    let found = lookup::found::<Vehicle>(&call, &Question::vehicle(plate.as_str())).await?;
    let origin = Origin::of(&found);
    let vehicle = found.answer;
    let answer = VehicleOut {
        placa: plate.to_string(),
        placa_mercosul: plate.to_mercosul().to_string(),
        marca: vehicle.marca,
        modelo: vehicle.modelo,
        versao: vehicle.versao,
        ano_fabricacao: vehicle.ano_fabricacao,
        ano_modelo: vehicle.ano_modelo,
        cor: vehicle.cor,
        combustivel: vehicle.combustivel,
        municipio: vehicle.municipio,
        uf: vehicle.uf,
        fipe: vehicle.fipe.into_iter().map(CandidateOut::from).collect(),
        origem: origin,
    };
    charge::paid(&call, answer).await
}
