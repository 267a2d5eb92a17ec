//! POST /api/v1/nfse/substituir: a note that replaces another one.

use super::create::{read, run, schema};
use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, body, idempotency};
use crate::errors::{Code, Failure, Refusal};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    let mut schema = schema();
    if let Some(required) = schema["required"].as_array_mut() {
        required.push("substitui".into());
    }
    Built {
        operation: "nfse.substituir",
        route: |method| on(method, substituir),
        docs: Docs::new("Emite uma NFS-e que substitui outra, indicada em substitui.")
            .body(schema)
            .idempotent()
            .answers(&[
                (200, "Nota validada e simulada (chave de teste)."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado."),
            ]),
    }
}

async fn substituir(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let pedido = read(value, call.tolerant)?;
    if pedido.conteudo.substitui.is_none() {
        return Err(Refusal::field(
            Code::ParametroAusente,
            "substitui",
            "Falta a nota a substituir.",
            "Informe substitui.chave e substitui.motivo.",
        )
        .into());
    }
    run(call, &headers, pedido, key, None).await
}
