//! GET /api/v1/nfe/autorizador/status: is the SEFAZ of a state working?

use crate::api::gate::Call;
use crate::api::list::Query;
use crate::api::{Built, autorizador};
use crate::errors::Failure;
use crate::issuing::modelo::Modelo;
use axum::extract::Query as UrlQuery;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "nfe.autorizador.status",
        route: |method| on(method, status),
        docs: autorizador::docs(
            "Diz se o autorizador de NF-e da UF está em operação; a resposta vale por 3 minutos.",
        ),
    }
}

async fn status(call: Call, UrlQuery(query): UrlQuery<Query>) -> Result<Response, Failure> {
    autorizador::status(call, &query, Modelo::Nfe).await
}
