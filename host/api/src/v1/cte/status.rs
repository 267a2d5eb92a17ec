//! POST /api/v1/cte/status: asks the authority and repairs our record.

use super::in_test;
use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Cte, RequestedEvent, SeenProduct, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "cte.status",
        route: |method| on(method, status),
        docs: Docs::new(
            "Consulta, em teste, a situação do CT-e na SEFAZ e corrige o registro local.",
        )
        .body::<event::StatusIn>()
        .success::<SeenProduct<Cte>>()
        .success_at::<WithEvent<Cte, RequestedEvent>>(202)
        .answers(&[
            (200, "Situação do CT-e."),
            (202, "A consulta ainda não terminou."),
        ])
        .sends("Location", &[202]),
    }
}

async fn status(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<SeenProduct<Cte>, WithEvent<Cte, RequestedEvent>> {
    in_test(&call).await?;
    event::status(call, &headers, &bytes, Model::Cte).await
}
