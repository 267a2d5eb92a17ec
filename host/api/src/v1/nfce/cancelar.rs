//! POST /api/v1/nfce/cancelar: cancels an authorized note (event 110111).

use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Nfce, RegisteredEvent, TransmittedEvent, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfce.cancelar",
        route: |method| on(method, cancelar),
        docs: Docs::new("Cancela uma NFC-e autorizada, dentro do prazo da UF.")
            .explained("Use para desfazer uma venda de balcão logo depois dela: o prazo costuma ser de minutos, e GET /api/v1/nfce/{ref}/janela-cancelamento diz até quando. A justificativa tem de 15 a 255 caracteres. Recusa a nota que não está autorizada.")
            .body::<event::CancelarIn>()
            .idempotent()
            .success::<WithEvent<Nfce, RegisteredEvent>>()
            .success_at::<WithEvent<Nfce, TransmittedEvent>>(202)
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
) -> StoredAnswer<WithEvent<Nfce, RegisteredEvent>, WithEvent<Nfce, TransmittedEvent>> {
    event::cancel(call, &headers, &bytes, Model::Nfce).await
}
