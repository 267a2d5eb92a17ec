//! POST /api/v1/nfce/status: asks the authority and repairs our record.

use crate::Built;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::v1::event;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use issuing::model::Modelo;

pub fn built() -> Built {
    Built {
        operation: "nfce.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NFC-e na SEFAZ e corrige o registro local.")
            .body(schemars::schema_for!(event::StatusIn).to_value())
            .answers(&[
                (200, "Situação da nota."),
                (202, "A consulta ainda não terminou."),
            ])
            .sends("Location", &[202]),
    }
}

async fn status(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    event::status(call, &headers, &bytes, Modelo::Nfce).await
}
