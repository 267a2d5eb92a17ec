//! POST /api/v1/mdfe/criar-e-emitir: builds, signs, transmits and answers in one
//! call.

use super::{read, released, schema};
use crate::v1::issuance;
use crate::v1::stored::Issued;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{InTransmission, IssuedNota, Mdfe};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "mdfe.criar-e-emitir",
        route: |method| on(method, create),
        docs: Docs::new("Emite um MDF-e: monta, valida, assina, transmite e responde.")
            .body_of(schema)
            .idempotent()
            .success::<IssuedNota<Mdfe>>()
            .success_at::<InTransmission<Mdfe>>(202)
            .answers(&[
                (201, "MDF-e autorizado."),
                (202, "Ainda sem resultado; consulte o endereço de Location."),
            ])
            .sends("Location", &[202]),
    }
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Mdfe> {
    released(&call).await?;
    issuance::create(call, &headers, &bytes, Model::Mdfe, read).await
}
