//! GET /api/v1/emitters/{id}

use super::record::{self, EmitterOut};
use axum::extract::Path;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "emitters.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um emitente, o que falta para ele emitir e a versão em ETag.")
            .sends("ETag", &[200])
            .success::<EmitterOut>(),
    }
}

async fn get(call: Call, Path(id): Path<EmitterId>) -> ApiAnswer<EmitterOut> {
    let mut conn = call.app.db.read().await?;
    let emitter = record::load(&mut conn, &call.caller, &id).await?;
    call.about(&emitter.row.id);
    respond(&call, &mut conn, &emitter).await
}

/// The record of an emitter as an answer, with its version.
///
/// # Errors
/// The database failed.
pub async fn respond(
    call: &Call,
    conn: &mut store::Conn,
    emitter: &issuing::emitters::Emitter,
) -> ApiAnswer<EmitterOut> {
    let body = record::emitter(&call.app, conn, emitter).await?;
    Ok(call.ok(body)?.version(emitter.row.version))
}
