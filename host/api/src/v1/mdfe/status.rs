//! POST /api/v1/mdfe/status: asks the authority and repairs our record.

use super::released;
use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Mdfe, RequestedEvent, SeenProduct, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "mdfe.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação do MDF-e na SEFAZ e corrige o registro local.")
            .body::<event::StatusIn>()
            .success::<SeenProduct<Mdfe>>()
            .success_at::<WithEvent<Mdfe, RequestedEvent>>(202)
            .answers(&[
                (200, "Situação do MDF-e."),
                (202, "A consulta ainda não terminou."),
            ])
            .sends("Location", &[202]),
    }
}

async fn status(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<SeenProduct<Mdfe>, WithEvent<Mdfe, RequestedEvent>> {
    released(&call).await?;
    event::status(call, &headers, &bytes, Model::Mdfe).await
}
