//! POST /api/v1/nfe/inutilizar: voids numbers no note has.

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, evento};
use crate::errors::Failure;
use crate::issuing::modelo::Modelo;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "nfe.inutilizar",
        route: |method| on(method, inutilizar),
        docs: Docs::new("Inutiliza uma faixa de números que nenhuma NF-e usa.")
            .body(schemars::schema_for!(evento::InutilizarIn).to_value())
            .idempotent()
            .answers(&[(200, "Faixa inutilizada."), (202, "Ainda sem resultado.")]),
    }
}

async fn inutilizar(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    evento::inutilizar(call, &headers, &bytes, Modelo::Nfe).await
}
