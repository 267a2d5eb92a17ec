//! POST /api/v1/mdfe/criar: assembles and stores a draft; no number is taken.

use super::{read, released, schema};
use crate::v1::issuance::{self, Draft, Drafted};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Mdfe, Registered};

pub fn built() -> Built {
    Built {
        operation: "mdfe.criar",
        route: |method| on(method, criar),
        docs: Docs::new("Monta, confere e guarda um rascunho de MDF-e, sem tomar número.")
            .body_of(schema)
            .idempotent()
            .success::<Draft<Registered<Mdfe>>>()
            .answers(&[(201, "Rascunho guardado.")]),
    }
}

async fn criar(call: Call, headers: HeaderMap, bytes: Bytes) -> Drafted<Mdfe> {
    released(&call).await?;
    issuance::draft(call, &headers, &bytes, read).await
}
