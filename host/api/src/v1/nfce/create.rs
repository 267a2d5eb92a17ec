//! POST /api/v1/nfce: builds, signs, transmits and answers in one call.

use crate::v1::attachments::WithAttachments;
use crate::v1::stored::StoredAnswer;
use crate::v1::{attachments, issuance, product};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Failure;
use compose::frame::Model;
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{InTransmission, IssuedNota, Nfce};
use issuing::issue::NoteOrder;
use issuing::model;
use serde_json::Value;

pub fn built() -> Built {
    Built {
        operation: "nfce.create",
        route: |method| on(method, create),
        docs: attachments::documented(Docs::new(
            "Emite uma NFC-e: monta, valida, assina, transmite e responde.",
        )
        .explained("Use no caixa, no fim da venda: o resultado vem na própria resposta, e o cupom em PDF ou o QR Code, se forem pedidos. O consumidor pode ficar sem identificação até o limite da lei. Recusa o emitente a que falta o CSC, onde a UF o pede, e a nota com campos a corrigir; nada disso gasta número ou crédito."))
        .body_of(schema)
        .idempotent()
        .success::<WithAttachments<IssuedNota<Nfce>>>()
        .success_at::<WithAttachments<InTransmission<Nfce>>>(202)
        .answers(&[
            (201, "Nota autorizada."),
            (202, "Ainda sem resultado; consulte o endereço de Location."),
        ])
        .sends("Location", &[202]),
    }
}

/// JSON Schema of the body.
pub fn schema() -> Value {
    product::schema("NfceIn")
}

/// Reads the body.
///
/// # Errors
/// As [`product::read`].
pub fn read(value: Value, tolerant: bool) -> Result<NoteOrder, Failure> {
    product::read(Model::Nfce, value, tolerant)
}

async fn create(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<WithAttachments<IssuedNota<Nfce>>, WithAttachments<InTransmission<Nfce>>> {
    issuance::create(call, &headers, &bytes, model::Model::Nfce, read).await
}
