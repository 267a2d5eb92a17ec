//! POST /api/v1/cte/cancelar: cancels an authorized CT-e (event 110111).

use super::in_test;
use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Cte, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "cte.cancelar",
        route: |method| on(method, cancelar),
        docs: Docs::new(
            "Cancela, em teste, um CT-e autorizado, até 168 horas depois da autorização.",
        )
        .body::<event::CancelarIn>()
        .idempotent()
        .success::<WithEvent<Cte, RegisteredEvent>>()
        .success_at::<WithEvent<Cte, TransmittedEvent>>(202)
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
) -> StoredAnswer<WithEvent<Cte, RegisteredEvent>, WithEvent<Cte, TransmittedEvent>> {
    in_test(&call).await?;
    event::cancel(call, &headers, &bytes, Model::Cte).await
}
