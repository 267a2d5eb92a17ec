//! POST /api/v1/nfce/inutilizar: voids numbers no note has.

use crate::v1::event;
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{SentRange, VoidedRange, Voiding};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfce.inutilizar",
        route: |method| on(method, inutilizar),
        docs: Docs::new("Inutiliza uma faixa de números que nenhuma NFC-e usa.")
            .body::<event::InutilizarIn>()
            .idempotent()
            .success::<Voiding<VoidedRange>>()
            .success_at::<Voiding<SentRange>>(202)
            .answers(&[(200, "Faixa inutilizada."), (202, "Ainda sem resultado.")]),
    }
}

async fn inutilizar(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<Voiding<VoidedRange>, Voiding<SentRange>> {
    event::inutilizar(call, &headers, &bytes, Model::Nfce).await
}
