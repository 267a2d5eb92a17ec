//! POST /api/v1/geo/rota: distance and time by road.

use super::distancia::DistanciaIn;
use super::place::{Place, Precision, kilometres, locate, minutes};
use crate::lookup::{self, LookedOut};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use lookups::Question;
use lookups::answers::Route;
use markup::decimal::Exact;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use schemars::JsonSchema;
use serde::Serialize;
use tools::geo::estimate;

pub fn built() -> Built {
    Built {
        operation: "geo.rota",
        route: |method| on(method, rota),
        docs: Docs::new("Dá distância e tempo por estrada entre dois lugares; pergunta às fontes de rotas e, se nenhuma responde, estima pela linha reta e diz que estimou.")
            .body::<DistanciaIn>()
            .success::<Charged<RotaOut>>(),
    }
}

/// O caminho por estrada.
#[derive(Serialize, JsonSchema)]
struct RotaOut {
    distancia_km: Exact,
    duracao_min: Exact,
    /// Quem respondeu, ou `estimativa`: 1,3 vezes a linha reta, a 60 km/h.
    fonte: String,
    /// Não é um caminho medido.
    estimado: bool,
    /// O caminho, como polyline de cinco casas; `null` se a fonte não o dá.
    geometria: Option<String>,
    precisao_origem: Precision,
    precisao_destino: Precision,
    /// Onde se procurou.
    procurado_em: Vec<LookedOut>,
}

async fn rota(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<RotaOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: DistanciaIn = body::read(value, call.tolerant)?;
    let origin = locate(&call, &body.origem, "origem").await?;
    let destination = locate(&call, &body.destino, "destino").await?;
    let question = Question::route(degrees(&origin), degrees(&destination));
    let mut asked = lookup::ask::<Route>(&call, &question).await?;
    let looked = lookup::looked(&asked);
    let found = asked.found.take();
    let estimated = found.is_none();
    let (metres, seconds, source, geometry) = match found {
        Some(found) => {
            let route = found.answer;
            let whole = |value: Decimal| value.round().to_u64().unwrap_or_default();
            let (metres, seconds) = (whole(route.distancia_m), whole(route.duracao_s));
            (metres, seconds, found.source, route.geometria)
        }
        None => {
            let road = estimate(origin.point, destination.point);
            let (metres, seconds) = (road.metres.into(), road.seconds.into());
            (metres, seconds, "estimativa".to_owned(), None)
        }
    };
    let answer = RotaOut {
        distancia_km: kilometres(metres),
        duracao_min: minutes(seconds),
        fonte: source,
        estimado: estimated,
        geometria: geometry,
        precisao_origem: origin.precision,
        precisao_destino: destination.precision,
        procurado_em: looked,
    };
    charge::paid(&call, answer).await
}

/// Latitude and longitude as text, to about one metre.
fn degrees(place: &Place) -> [String; 2] {
    let (latitude, longitude) = (place.point.latitude(), place.point.longitude());
    [latitude, longitude].map(|degrees| format!("{degrees:.5}"))
}
