//! POST /api/v1/cte/criar-e-emitir: builds, signs, transmits and answers in one
//! call.

use super::{in_test, read, schema};
use crate::v1::issuance;
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
        operation: "cte.criar-e-emitir",
        route: |method| on(method, create),
        docs: Docs::new(
            "Emite um CT-e em teste: monta, valida, assina, transmite e responde. Fora do teste responde cte_em_teste, sem gastar número nem crédito.",
        )
        .body_of(schema)
        .idempotent()
        .success::<IssuedNota<Cte>>()
        .success_at::<InTransmission<Cte>>(202)
        .answers(&[
            (201, "CT-e autorizado."),
            (202, "Ainda sem resultado; consulte o endereço de Location."),
        ])
        .sends("Location", &[202]),
    }
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Cte> {
    in_test(&call).await?;
    issuance::create(call, &headers, &bytes, Model::Cte, read).await
}
