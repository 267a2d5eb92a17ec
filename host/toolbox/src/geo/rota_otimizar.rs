//! POST /api/v1/geo/rota/otimizar: stops in a short order.

use super::place::{Place, PlaceIn, find, kilometres, minutes};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::{batch, body};
use markup::decimal::Exact;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use tools::geo::{Point, matrix};
use tools::tour::{Ending, MAX_STOPS, Tour, order};

/// Stops of the lower price.
const SMALL: usize = 25;
/// Metres of an estimated way in a minute: 60 km/h.
const METRES_A_MINUTE: u64 = 1_000;
/// Longest id of a stop.
const ID_CHARS: usize = 80;

pub fn built() -> Built {
    Built {
        operation: "geo.rota.otimizar",
        route: |method| on(method, otimizar),
        docs: Docs::new("Ordena até 100 paradas em um caminho curto, e diz o ganho sobre a ordem enviada. Até 25 paradas custa o primeiro preço, acima o segundo.")
            .body::<OtimizarIn>()
            .success::<Charged<OtimizarOut>>(),
    }
}

/// De onde se parte e por onde se passa.
#[derive(Deserialize, JsonSchema)]
struct OtimizarIn {
    origem: PlaceIn,
    /// O caminho volta à origem. Ausente: sim, se não há `destino`.
    #[serde(default)]
    retornar: Option<bool>,
    /// Onde o caminho termina, se não volta. Ausente: na parada que for melhor.
    #[serde(default)]
    destino: Option<PlaceIn>,
    #[schemars(length(min = 1, max = 100))]
    paradas: Vec<StopIn>,
}

/// Uma parada.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Parada")]
struct StopIn {
    /// Para reconhecê-la na resposta.
    #[schemars(length(min = 1, max = 80))]
    id: String,
    /// Graus, de -90 a 90.
    #[serde(default)]
    #[schemars(range(min = -90, max = 90))]
    lat: Option<f64>,
    /// Graus, de -180 a 180.
    #[serde(default)]
    #[schemars(range(min = -180, max = 180))]
    lon: Option<f64>,
    /// Em vez de lat e lon: o centro do município.
    #[serde(default)]
    codigo_ibge: Option<String>,
    /// Em vez de lat e lon: o centro do município do CEP.
    #[serde(default)]
    cep: Option<String>,
}

impl StopIn {
    fn place(&self) -> PlaceIn {
        PlaceIn {
            lat: self.lat,
            lon: self.lon,
            codigo_ibge: self.codigo_ibge.clone(),
            cep: self.cep.clone(),
            endereco: None,
        }
    }
}

/// As paradas em ordem.
#[derive(Serialize, JsonSchema)]
struct OtimizarOut {
    /// Os ids das paradas, na ordem do caminho.
    ordem: Vec<String>,
    /// O caminho inteiro, da origem ao fim.
    distancia_km: Exact,
    duracao_min: Exact,
    ganho: Gain,
    metodo: &'static str,
    /// As distâncias são estimativas: 1,3 vezes a linha reta, a 60 km/h.
    estimado: bool,
}

/// O que se ganha sobre a ordem enviada.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GanhoDaRota")]
struct Gain {
    km: Exact,
    percentual: Exact,
}

async fn otimizar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<OtimizarOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: OtimizarIn = body::read(value, call.tolerant)?;
    let stops = body.paradas.len();
    let (points, ending) = points(&body)?;
    let tiers = call.operation.tiers();
    let tier = usize::from(stops > SMALL);
    let price = tiers.get(tier).or(tiers.last()).copied();
    let price = price.ok_or_else(|| anyhow::anyhow!("geo.rota.otimizar has no price"))?;
    charge::affordable_at(&call, price).await?;
    let tour = tokio::task::spawn_blocking(move || order(points.len(), &matrix(&points), ending));
    let tour = tour
        .await
        .map_err(anyhow::Error::from)?
        .map_err(anyhow::Error::from)?;
    charge::paid_at(&call, answer(&tour, &body.paradas), price).await
}

/// The places, the origin first and a fixed end last, and how the way ends.
fn points(body: &OtimizarIn) -> Result<(Vec<Point>, Ending), Failure> {
    let stops = body.paradas.len();
    batch::of(stops, MAX_STOPS, "paradas")?;
    if body.retornar == Some(true) && body.destino.is_some() {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "destino",
            "O caminho que volta à origem não tem outro destino.",
            "Retire destino, ou ponha retornar em false.",
        )
        .into());
    }
    let mut wrong = Refusal::new(Code::ParametroInvalido);
    let mut points = Vec::with_capacity(stops + 2);
    let mut add = |found: Result<Place, Box<Refusal>>| match found {
        Ok(place) => points.push(place.point),
        Err(refusal) => wrong.fields.extend(refusal.fields),
    };
    add(find(&body.origem, "origem"));
    let mut ids = HashSet::new();
    for (at, stop) in body.paradas.iter().enumerate() {
        add(find(&stop.place(), &format!("paradas[{at}]")));
        let length = stop.id.chars().count();
        if !(1..=ID_CHARS).contains(&length) || !ids.insert(stop.id.as_str()) {
            add(Err(Box::new(Refusal::field(
                Code::ParametroInvalido,
                &format!("paradas[{at}].id"),
                "O id está repetido, vazio ou tem mais de 80 caracteres.",
                "Dê a cada parada um id só dela.",
            ))));
        }
    }
    let ending = match &body.destino {
        Some(end) => {
            add(find(end, "destino"));
            Ending::At(stops + 1)
        }
        None if body.retornar == Some(false) => Ending::Open,
        None => Ending::Closed,
    };
    if wrong.fields.is_empty() {
        Ok((points, ending))
    } else {
        Err(wrong.into())
    }
}

fn answer(tour: &Tour, stops: &[StopIn]) -> OtimizarOut {
    // Place 0 is the origin, a place behind the stops the fixed end.
    let order = tour
        .order
        .iter()
        .filter_map(|place| stops.get(place.checked_sub(1)?));
    let gained = tour.sent_m.saturating_sub(tour.length_m);
    let percent = Decimal::from(gained)
        .checked_mul(Decimal::ONE_HUNDRED)
        .and_then(|hundredfold| hundredfold.checked_div(Decimal::from(tour.sent_m)))
        .unwrap_or_default();
    OtimizarOut {
        ordem: order.map(|stop| stop.id.clone()).collect(),
        distancia_km: kilometres(tour.length_m),
        duracao_min: minutes(tour.length_m.saturating_mul(60) / METRES_A_MINUTE),
        ganho: Gain {
            km: kilometres(gained),
            percentual: Exact(percent.round_dp(1).normalize()),
        },
        metodo: "vizinho_mais_proximo+2opt+oropt",
        estimado: true,
    }
}
