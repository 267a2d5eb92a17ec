//! GET /api/v1/emitters/{id}

use super::record::{self, EmitenteOut};
use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use axum::extract::Path;
use axum::routing::on;
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "emitters.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um emitente, o que falta para ele emitir e a versão em ETag.")
            .sends("ETag", &[200])
            .success::<EmitenteOut>(),
    }
}

async fn get(call: Call, Path(id): Path<EmitterId>) -> ApiAnswer<EmitenteOut> {
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
) -> ApiAnswer<EmitenteOut> {
    let body = record::emitter(&call.app, conn, emitente).await?;
    Ok(call.ok(body)?.version(emitente.row.version))
}
