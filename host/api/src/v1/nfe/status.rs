//! POST /api/v1/nfe/status: asks the authority and repairs our record.

use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{Nfe, RequestedEvent, SeenProduct, WithEvent};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfe.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NF-e na SEFAZ e corrige o registro local.")
            .explained("Use quando uma nota ficou sem resultado, ou para saber se outro sistema mexeu nela. O hub pergunta sozinho pelas notas que ficaram em transmissão: chamar isto em laço não as apressa, e a SEFAZ bloqueia quem pergunta demais.")
            .body::<event::StatusIn>()
            .success::<SeenProduct<Nfe>>()
            .success_at::<WithEvent<Nfe, RequestedEvent>>(202)
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
) -> StoredAnswer<SeenProduct<Nfe>, WithEvent<Nfe, RequestedEvent>> {
    event::status(call, &headers, &bytes, Model::Nfe).await
}
