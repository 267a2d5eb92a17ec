//! POST /api/v1/nfe/status: asks the authority and repairs our record.

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, body, produto, stored};
use crate::errors::Failure;
use crate::issuing::modelo::Modelo;
use crate::issuing::query;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use schemars::JsonSchema;
use serde::Deserialize;

pub fn built() -> Built {
    Built {
        operation: "nfe.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NF-e na SEFAZ e corrige o registro local.")
            .body(schemars::schema_for!(StatusIn).to_value())
            .answers(&[
                (200, "Situação da nota."),
                (202, "A consulta ainda não terminou."),
            ]),
    }
}

#[derive(Deserialize, JsonSchema)]
struct StatusIn {
    /// nota_id or chave.
    r#ref: String,
}

async fn status(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: StatusIn = body::read(value, call.tolerant)?;
    let nota = produto::nota(&call, &body.r#ref, Modelo::Nfe).await?;
    let (status, body) = query::query(&call.app, call.caller.clone(), nota, call.price()?).await?;
    Ok(stored((status, body, false)))
}
