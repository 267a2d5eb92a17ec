//! POST /api/v1/nfe/cancelar: cancels an authorized note (event 110111).

use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Nfe, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfe.cancelar",
        route: |method| on(method, cancelar),
        docs: Docs::new("Cancela uma NF-e autorizada, dentro do prazo da UF.")
            .explained("Use para desfazer uma venda cuja mercadoria não circulou. A justificativa tem de 15 a 255 caracteres; o resultado é um evento da nota, que passa a cancelada. Fora do prazo, ou se a nota não está autorizada, recusa: emita uma devolução. Para um erro que não muda valores nem as partes, use POST /api/v1/nfe/cce.")
            .body::<event::CancelarIn>()
            .idempotent()
            .success::<WithEvent<Nfe, RegisteredEvent>>()
            .success_at::<WithEvent<Nfe, TransmittedEvent>>(202)
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
) -> StoredAnswer<WithEvent<Nfe, RegisteredEvent>, WithEvent<Nfe, TransmittedEvent>> {
    event::cancel(call, &headers, &bytes, Model::Nfe).await
}
