//! POST /api/v1/nfe/cancelar: cancels an authorized note (event 110111).

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
        operation: "nfe.cancelar",
        route: |method| on(method, cancelar),
        docs: Docs::new("Cancela uma NF-e autorizada, dentro do prazo da UF.")
            .body(schemars::schema_for!(event::CancelarIn).to_value())
            .idempotent()
            .answers(&[
                (200, "Cancelamento registrado."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn cancelar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    event::cancelar(call, &headers, &bytes, Modelo::Nfe).await
}
