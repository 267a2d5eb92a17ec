//! POST /api/v1/geo/rota: distance and time by road.

use super::distancia::DistanciaIn;
use super::place::{Precision, find, kilometres, minutes};
use crate::Built;
use crate::answer::ApiAnswer;
use crate::charge::{self, Charged};
use crate::gate::Call;
use crate::openapi::Docs;
use crate::request::body;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;
use tools::geo::estimate;

pub fn built() -> Built {
    Built {
        operation: "geo.rota",
        route: |method| on(method, rota),
        docs: Docs::new("Dá distância e tempo por estrada entre dois lugares; sem serviço de rotas é uma estimativa, e diz que é.")
            .body::<DistanciaIn>()
            .success::<Charged<RotaOut>>(),
    }
}

/// O caminho por estrada.
#[derive(Serialize, JsonSchema)]
struct RotaOut {
    distancia_km: Exact,
    duracao_min: Exact,
    /// `estimativa`: 1,3 vezes a linha reta, a 60 km/h.
    fonte: &'static str,
    /// Não é um caminho medido.
    estimado: bool,
    precisao_origem: Precision,
    precisao_destino: Precision,
}

async fn rota(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<RotaOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: DistanciaIn = body::read(value, call.tolerant)?;
    let origin = find(&body.origem, "origem").map_err(|refusal| *refusal)?;
    let destination = find(&body.destino, "destino").map_err(|refusal| *refusal)?;
    let road = estimate(origin.point, destination.point);
    let answer = RotaOut {
        distancia_km: kilometres(road.metres.into()),
        duracao_min: minutes(road.seconds.into()),
        fonte: "estimativa",
        estimado: true,
        precisao_origem: origin.precision,
        precisao_destino: destination.precision,
    };
    charge::paid(&call, answer).await
}
