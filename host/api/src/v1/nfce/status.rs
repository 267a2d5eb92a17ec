//! POST /api/v1/nfce/status: asks the authority and repairs our record.

use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Nfce, RequestedEvent, SeenProduct, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfce.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NFC-e na SEFAZ e corrige o registro local.")
            .body::<event::StatusIn>()
            .success::<SeenProduct<Nfce>>()
            .success_at::<WithEvent<Nfce, RequestedEvent>>(202)
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
) -> StoredAnswer<SeenProduct<Nfce>, WithEvent<Nfce, RequestedEvent>> {
    event::status(call, &headers, &bytes, Model::Nfce).await
}
