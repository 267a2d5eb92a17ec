//! POST /api/v1/nfe/cancelar: cancels an authorized note (event 110111).

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
        operation: "nfe.cancelar",
        route: |method| on(method, cancelar),
        docs: Docs::new("Cancela uma NF-e autorizada, dentro do prazo da UF.")
            .body(schemars::schema_for!(evento::CancelarIn).to_value())
            .idempotent()
            .answers(&[
                (200, "Cancelamento registrado."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn cancelar(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    evento::cancelar(call, &headers, &bytes, Modelo::Nfe).await
}
