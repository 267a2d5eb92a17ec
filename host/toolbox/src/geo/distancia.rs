//! POST /api/v1/geo/distancia: the straight line between two places.

use super::place::{PlaceIn, Precision, kilometres, locate};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub fn built() -> Built {
    Built {
        operation: "geo.distancia",
        route: |method| on(method, distancia),
        docs: Docs::new("Mede a linha reta entre dois lugares, sobre a superfície da Terra.")
            .body::<DistanciaIn>()
            .success::<Charged<DistanciaOut>>(),
    }
}

/// Dois lugares.
#[derive(Deserialize, JsonSchema)]
pub(super) struct DistanciaIn {
    pub origem: PlaceIn,
    pub destino: PlaceIn,
}

/// A linha reta.
#[derive(Serialize, JsonSchema)]
struct DistanciaOut {
    distancia_km: Exact,
    /// Sempre `haversine`.
    metodo: &'static str,
    precisao_origem: Precision,
    precisao_destino: Precision,
}

async fn distancia(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Charged<DistanciaOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: DistanciaIn = body::read(value, call.tolerant)?;
    let origin = locate(&call, &body.origem, "origem").await?;
    let destination = locate(&call, &body.destino, "destino").await?;
    let metres = origin.point.distance_m(destination.point).round();
    let answer = DistanciaOut {
        distancia_km: kilometres(metres as u64),
        metodo: "haversine",
        precisao_origem: origin.precision,
        precisao_destino: destination.precision,
    };
    charge::paid(&call, answer).await
}
