//! POST /api/v1/nfse/status: asks the authority and repairs our record.

use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::api::{Built, body, stored};
use crate::db::notas;
use crate::errors::{Code, Failure, Refusal};
use crate::issuing::query;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use schemars::JsonSchema;
use serde::Deserialize;

pub fn built() -> Built {
    Built {
        operation: "nfse.status",
        route: |method| on(method, status),
        docs: Docs::new("Consulta a situação da NFS-e na prefeitura ou no ambiente nacional e corrige o registro local.")
            .body(schemars::schema_for!(StatusIn).to_value())
            .answers(&[(200, "Situação da nota."), (202, "A consulta ainda não terminou.")]),
    }
}

#[derive(Deserialize, JsonSchema)]
struct StatusIn {
    /// nota_id or chave.
    r#ref: String,
}

async fn status(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<Response, Failure> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: StatusIn = body::read(value, call.tolerant)?;
    let mut conn = call.app.db.read().await?;
    let caller = &call.caller;
    let nota = notas::by_ref(&mut conn, &caller.account_id, &body.r#ref, caller.unseen()).await?;
    drop(conn);
    let nota = nota
        .filter(|nota| nota.modelo == "nfse")
        // No city, not even its homologation, is asked with a test key.
        .filter(|nota| call.caller.is_test() == (nota.ambiente == "simulado"))
        .ok_or_else(|| Refusal::new(Code::NaoEncontrado))?;
    call.about(&nota.id);
    let (status, body) = query::query(&call.app, call.caller.clone(), nota, call.price()?).await?;
    Ok(stored((status, body, false)))
}
