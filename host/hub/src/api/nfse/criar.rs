//! POST /api/v1/nfse/criar: assembles and stores a draft; no number is taken.

use super::create;
use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, body, idempotency, json, replayed};
use crate::errors::Failure;
use crate::issuing::{answer, issue};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "nfse.criar",
        route: |method| on(method, criar),
        docs: Docs::new("Monta e guarda um rascunho de NFS-e, sem tomar número.")
            .body(create::schema())
            .idempotent()
            .answers(&[(201, "Rascunho guardado.")]),
    }
}

async fn criar(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let pedido = create::read(value, call.tolerant)?;
    let draft = issue::draft(&call.app, call.caller.clone(), pedido, key).await?;
    let nota = draft.nota;
    call.about(&nota.id);
    let mut record = answer::nota(&nota);
    record.insert("sucesso".to_owned(), true.into());
    record.insert("consumiu_numero_fiscal".to_owned(), false.into());
    record.insert("consumiu_credito".to_owned(), false.into());
    record.insert("request_id".to_owned(), call.caller.request_id.into());
    let mut response = json(201, &record.into());
    if draft.existing {
        replayed(&mut response);
    }
    Ok(response)
}
