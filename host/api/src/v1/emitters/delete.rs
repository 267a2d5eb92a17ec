//! DELETE /api/v1/emitters/{id}: only while it has no document.

use super::record;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::on;
use gate::Call;
use gate::answer::Answer;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use gate::request::etag;
use issuing::emitters;
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "emitters.delete",
        route: |method| on(method, delete),
        docs: Docs::new(
            "Exclui um emitente sem documentos, com certificados, credenciais e numeração.",
        )
        .explained("Use para desfazer um cadastro feito por engano. Recusa a empresa que já tem documentos, porque a guarda deles é obrigatória.")
        .header(
            "If-Match",
            "ETag lido antes; 412 se o emitente mudou desde então.",
            etag::schema(),
        )
        .answers(&[(204, "Excluído.")]),
    }
}

async fn delete(
    call: Call,
    Path(id): Path<EmitterId>,
    headers: HeaderMap,
) -> ApiResult<Answer<()>> {
    let mut conn = call.app.db.read().await?;
    let row = record::load(&mut conn, &call.caller, &id).await?.row;
    drop(conn);
    call.about(&row.id);
    etag::check(&headers, row.version)?;
    emitters::delete(&call.app, row).await?;
    Ok(Answer::other(StatusCode::NO_CONTENT))
}
