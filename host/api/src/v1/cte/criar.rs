//! POST /api/v1/cte/criar: assembles and stores a draft; no number is taken.

use super::{read, schema};
use crate::v1::issuance::{self, Draft, Drafted};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Cte, Registered};

pub fn built() -> Built {
    Built {
        operation: "cte.criar",
        route: |method| on(method, criar),
        docs: Docs::new("Monta, confere e guarda um rascunho de CT-e, sem tomar número.")
            .body_of(schema)
            .idempotent()
            .success::<Draft<Registered<Cte>>>()
            .answers(&[(201, "Rascunho guardado.")]),
    }
}

async fn criar(call: Call, headers: HeaderMap, bytes: Bytes) -> Drafted<Cte> {
    issuance::draft(call, &headers, &bytes, read).await
}
