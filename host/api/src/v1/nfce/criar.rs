//! POST /api/v1/nfce/criar: assembles and stores a draft; no number is taken.

use super::create;
use crate::Built;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::v1::issuance;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "nfce.criar",
        route: |method| on(method, criar),
        docs: Docs::new("Monta e guarda um rascunho de NFC-e, sem tomar número.")
            .body(create::schema())
            .idempotent()
            .answers(&[(201, "Rascunho guardado.")]),
    }
}

async fn criar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    issuance::criar(call, &headers, &bytes, create::read).await
}
