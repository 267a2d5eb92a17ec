//! POST /api/v1/nfse/emitir: issues a note assembled before.

use crate::api::Built;
use crate::api::emissao::{self, EmitirIn};
use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::errors::Failure;
use crate::issuing::modelo::Modelo;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "nfse.emitir",
        route: |method| on(method, emitir),
        docs: Docs::new("Emite uma NFS-e montada antes, pelo nota_id.")
            .body(schemars::schema_for!(EmitirIn).to_value())
            .idempotent()
            .answers(&[
                (200, "Já autorizada, ou validada e simulada."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn emitir(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    emissao::emitir(call, &headers, &bytes, Modelo::Nfse).await
}
