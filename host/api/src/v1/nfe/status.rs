//! POST /api/v1/nfe/status: asks the authority and repairs our record.

use crate::Built;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use issuing::answer::{ComEvento, EventoPedido, Nfe, ProdutoVisto};
use issuing::model::Modelo;

pub fn built() -> Built {
    Built {
        operation: "nfe.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NF-e na SEFAZ e corrige o registro local.")
            .body(schemars::schema_for!(event::StatusIn).to_value())
            .success::<ProdutoVisto<Nfe>>()
            .success_at::<ComEvento<Nfe, EventoPedido>>(202)
            .answers(&[
                (200, "Situação da nota."),
                (202, "A consulta ainda não terminou."),
            ])
            .sends("Location", &[202]),
    }
}

async fn status(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<ProdutoVisto<Nfe>, ComEvento<Nfe, EventoPedido>> {
    event::status(call, &headers, &bytes, Modelo::Nfe).await
}
