//! POST /api/v1/nfce/emitir: issues a note assembled before.

use crate::v1::attachments;
use crate::v1::attachments::WithAttachments;
use crate::v1::issuance::{self, EmitirIn};
use crate::v1::stored::StoredAnswer;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{InTransmission, IssuedNota, Nfce};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfce.emitir",
        route: |method| on(method, emitir),
        docs: attachments::documented(Docs::new("Emite uma NFC-e montada antes, pelo nota_id."))
            .body::<EmitirIn>()
            .idempotent()
            .success::<WithAttachments<IssuedNota<Nfce>>>()
            .success_at::<WithAttachments<InTransmission<Nfce>>>(202)
            .answers(&[
                (200, "Já autorizada."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn emitir(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithAttachments<IssuedNota<Nfce>>, WithAttachments<InTransmission<Nfce>>> {
    issuance::issue_draft(call, &headers, &bytes, Model::Nfce).await
}
