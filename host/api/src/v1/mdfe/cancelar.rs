//! POST /api/v1/mdfe/cancelar: cancels an authorized MDF-e (event 110111).

use super::released;
use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Mdfe, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "mdfe.cancelar",
        route: |method| on(method, cancelar),
        docs: Docs::new(
            "Cancela um MDF-e autorizado, até 24 horas depois da autorização e antes da viagem.",
        )
        .body::<event::CancelarIn>()
        .idempotent()
        .success::<WithEvent<Mdfe, RegisteredEvent>>()
        .success_at::<WithEvent<Mdfe, TransmittedEvent>>(202)
        .answers(&[
            (200, "Cancelamento registrado."),
            (202, "Ainda sem resultado."),
        ])
        .sends("Location", &[202]),
    }
}

async fn cancelar(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithEvent<Mdfe, RegisteredEvent>, WithEvent<Mdfe, TransmittedEvent>> {
    released(&call).await?;
    event::cancel(call, &headers, &bytes, Model::Mdfe).await
}
