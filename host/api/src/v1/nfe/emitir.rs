//! POST /api/v1/nfe/emitir: issues a note assembled before.

use crate::v1::issuance::{self, EmitirIn};
use crate::v1::stored::Issued;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{InTransmission, IssuedNota, Nfe};
use issuing::model::Model;

pub fn built() -> Built {
    Built {
        operation: "nfe.emitir",
        route: |method| on(method, emitir),
        docs: Docs::new("Emite uma NF-e montada antes, pelo nota_id.")
            .explained("Use depois de POST /api/v1/nfe/criar: o número da série é tomado agora, e a resposta é a mesma de quem emite de uma vez. Recusa a nota que já foi emitida ou não é mais um rascunho.")
            .body::<EmitirIn>()
            .idempotent()
            .success::<IssuedNota<Nfe>>()
            .success_at::<InTransmission<Nfe>>(202)
            .answers(&[
                (200, "Já autorizada."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

async fn emitir(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Nfe> {
    issuance::issue_draft(call, &headers, &bytes, Model::Nfe).await
}
