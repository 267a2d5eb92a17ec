//! GET /api/v1/emitters/{id}

use super::record;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::etag;
use crate::{Built, json};
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "emitters.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um emitente, o que falta para ele emitir e a versão em ETag.")
            .sends("ETag", &[200]),
    }
}

async fn get(call: Call, Path(id): Path<String>) -> ApiResult<Response> {
    let mut conn = call.app.db.read().await?;
    let emitente = record::load(&mut conn, &call.caller, &id).await?;
    call.about(&emitente.row.id);
    respond(&call, &mut conn, &emitente).await
}

/// The record of an emitter as an answer, with its version.
///
/// # Errors
/// The database failed.
pub async fn respond(
    call: &Call,
    conn: &mut store::Conn,
    emitente: &issuing::emitters::Emitente,
) -> ApiResult<Response> {
    let mut body = record::emitter(&call.app, conn, emitente).await?;
    body.insert("sucesso".to_owned(), true.into());
    body.insert(
        "request_id".to_owned(),
        call.caller.request_id.clone().into(),
    );
    Ok(etag::with(json(200, &body.into()), emitente.row.version))
}
