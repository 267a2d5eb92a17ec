//! POST /api/v1/nfe: builds, signs, transmits and answers in one call.

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, emissao, produto};
use crate::errors::Failure;
use crate::issuing::issue::Pedido;
use crate::issuing::modelo;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use fiscal::nfe::montagem::Modelo;
use serde_json::Value;

pub fn built() -> Built {
    Built {
        operation: "nfe.create",
        route: |method| on(method, create),
        docs: Docs::new("Emite uma NF-e: monta, valida, assina, transmite e responde.")
            .body(schema())
            .idempotent()
            .answers(&[
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado; consulte o endereço de Location."),
            ])
            .sends("Location", &[202]),
    }
}

/// JSON Schema of the body.
pub fn schema() -> Value {
    produto::schema("NfeIn")
}

/// Reads the body.
///
/// # Errors
/// As [`produto::read`].
pub fn read(value: Value, tolerant: bool) -> Result<Pedido, Failure> {
    produto::read(Modelo::Nfe, value, tolerant)
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    emissao::create(call, &headers, &bytes, modelo::Modelo::Nfe, read).await
}
