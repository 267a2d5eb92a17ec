//! POST /api/v1/nfce/status: asks the authority and repairs our record.

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
        operation: "nfce.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NFC-e na SEFAZ e corrige o registro local.")
            .body(schemars::schema_for!(evento::StatusIn).to_value())
            .answers(&[
                (200, "Situação da nota."),
                (202, "A consulta ainda não terminou."),
            ])
            .sends("Location", &[202]),
    }
}

async fn status(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    evento::status(call, &headers, &bytes, Modelo::Nfce).await
}
