//! POST /api/v1/mdfe/emitir: issues an MDF-e assembled before.

use super::released;
use crate::v1::issuance::{self, EmitirIn};
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
        operation: "mdfe.emitir",
        route: |method| on(method, emitir),
        docs: Docs::new("Emite um MDF-e montado antes, pelo nota_id.")
            .body::<EmitirIn>()
            .idempotent()
            .success::<IssuedNota<Mdfe>>()
            .success_at::<InTransmission<Mdfe>>(202)
            .answers(&[
                (200, "Já autorizado."),
                (201, "MDF-e autorizado."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn emitir(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Mdfe> {
    released(&call).await?;
    issuance::issue_draft(call, &headers, &bytes, Model::Mdfe).await
}
