//! POST /api/v1/nfe: builds, signs, transmits and answers in one call.

use crate::v1::stored::Issued;
use crate::v1::{issuance, product};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Failure;
use compose::frame::Model;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{InTransmission, IssuedNota, Nfe};
use issuing::issue::NoteOrder;
use issuing::model;
use serde_json::Value;

pub fn built() -> Built {
    Built {
        operation: "nfe.create",
        route: |method| on(method, create),
        docs: Docs::new("Emite uma NF-e: monta, valida, assina, transmite e responde.")
            .explained("Use quando a venda já está fechada: o resultado vem na própria resposta, 201 com a nota autorizada ou 422 com o motivo da SEFAZ. Se a SEFAZ demora, a resposta é 202 e o resultado chega por webhook ou em GET /api/v1/documentos/{ref}; não envie outra nota. Antes de transmitir, recusa com todos os campos a corrigir, sem gastar número nem crédito.")
            .body_of(schema)
            .idempotent()
            .success::<IssuedNota<Nfe>>()
            .success_at::<InTransmission<Nfe>>(202)
            .answers(&[
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado; consulte o endereço de Location."),
            ])
            .sends("Location", &[202]),
    }
}

/// JSON Schema of the body.
pub fn schema() -> Value {
    product::schema("NfeIn")
}

/// Reads the body.
///
/// # Errors
/// As [`product::read`].
pub fn read(value: Value, tolerant: bool) -> Result<NoteOrder, Failure> {
    product::read(Model::Nfe, value, tolerant)
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Nfe> {
    issuance::create(call, &headers, &bytes, model::Model::Nfe, read).await
}
