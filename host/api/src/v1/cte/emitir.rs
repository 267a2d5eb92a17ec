//! POST /api/v1/cte/emitir: issues a CT-e assembled before.

use super::in_test;
use crate::v1::issuance::{self, EmitirIn};
use crate::v1::stored::Issued;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Cte, InTransmission, IssuedNota};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "cte.emitir",
        route: |method| on(method, emitir),
        docs: Docs::new("Emite, em teste, um CT-e montado antes, pelo nota_id.")
            .body::<EmitirIn>()
            .idempotent()
            .success::<IssuedNota<Cte>>()
            .success_at::<InTransmission<Cte>>(202)
            .answers(&[
                (200, "Já autorizado."),
                (201, "CT-e autorizado."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn emitir(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Cte> {
    in_test(&call).await?;
    issuance::issue_draft(call, &headers, &bytes, Model::Cte).await
}
