//! POST /api/v1/nfce/emitir: issues a note assembled before.

use crate::Built;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::v1::attachments;
use crate::v1::issuance::{self, EmitirIn};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use issuing::model::Modelo;

pub fn built() -> Built {
    Built {
        operation: "nfce.emitir",
        route: |method| on(method, emitir),
        docs: attachments::documented(Docs::new("Emite uma NFC-e montada antes, pelo nota_id."))
            .body(schemars::schema_for!(EmitirIn).to_value())
            .idempotent()
            .answers(&[
                (200, "Já autorizada."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn emitir(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    issuance::emitir(call, &headers, &bytes, Modelo::Nfce).await
}
