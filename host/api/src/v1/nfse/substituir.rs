//! POST /api/v1/nfse/substituir: a note that replaces another one.

use super::create::{read, schema};
use crate::v1::issuance;
use crate::v1::stored::Issued;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::docs::{Built, Docs};
use issuing::answer::{InTransmission, IssuedNota, Nfse};
use issuing::issue::NoteOrder;
use issuing::model::Model;
use serde_json::Value;

pub fn built() -> Built {
    Built {
        operation: "nfse.substituir",
        route: |method| on(method, substituir),
        docs: Docs::new("Emite uma NFS-e que substitui outra, indicada em substitui.")
            .explained("Use para corrigir uma nota já autorizada: o pedido é o de uma emissão, com a nota antiga em substitui. Autorizada a nova, a antiga deixa de valer. Recusa onde o sistema da cidade não tem substituição.")
            .body_of(substitution)
            .idempotent()
            .success::<IssuedNota<Nfse>>()
            .success_at::<InTransmission<Nfse>>(202)
            .answers(&[
                (200, "Nota validada e simulada (chave de teste)."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado."),
            ])
            .sends("Location", &[202]),
    }
}

/// JSON Schema of the body: that of an issue, with the note to replace.
fn substitution() -> Value {
    let mut schema = schema();
    if let Some(required) = schema["required"].as_array_mut() {
        required.push("substitui".into());
    }
    schema
}

async fn substituir(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Nfse> {
    issuance::create(call, &headers, &bytes, Model::Nfse, read_with_old).await
}

/// As [`read`], with a note to replace.
fn read_with_old(value: Value, tolerant: bool) -> Result<NoteOrder, Failure> {
    let request = read(value, tolerant)?;
    match &request {
        NoteOrder::Service(service) if service.conteudo.substitui.is_some() => Ok(request),
        _ => Err(Refusal::field(
            Code::ParametroAusente,
            "substitui",
            "Falta a nota a substituir.",
            "Informe substitui.chave e substitui.motivo.",
        )
        .into()),
    }
}
