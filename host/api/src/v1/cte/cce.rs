//! POST /api/v1/cte/cce: a correction letter (event 110110).

use super::in_test;
use crate::v1::event::{described, read, transport};
use crate::v1::product;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use freight::event::{Correction, correction_letter};
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Cte, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::tables::eventos::EventKind;

pub fn built() -> Built {
    Built {
        operation: "cte.cce",
        route: |method| on(method, cce),
        docs: Docs::new(
            "Registra, em teste, uma carta de correção de CT-e; cada uma substitui a anterior.",
        )
        .body::<CceIn>()
        .idempotent()
        .success::<WithEvent<Cte, RegisteredEvent>>()
        .success_at::<WithEvent<Cte, TransmittedEvent>>(202)
        .answers(&[(200, "Carta registrada."), (202, "Ainda sem resultado.")])
        .sends("Location", &[202]),
    }
}

/// Carta de correção de um CT-e.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CteCceIn")]
struct CceIn {
    /// nota_id ou chave do CT-e.
    r#ref: String,
    /// Todas as correções que devem valer, também as das cartas anteriores.
    correcoes: Vec<Correction>,
}

async fn cce(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Cte, RegisteredEvent>, WithEvent<Cte, TransmittedEvent>> {
    in_test(&call).await?;
    let (body, key): (CceIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Cte).await?;
    let letter = described(correction_letter(&body.correcoes))?;
    let details = json!({ "correcoes": body.correcoes });
    transport(call, nota, letter, EventKind::Cce, details, key).await
}
