//! DELETE /api/v1/documentos/{nota_id}: drafts only.

use super::load;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::Answer;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use issuing::issue;
use issuing::issue::contingency::is_announced;
use store::TxError;
use store::tables::{idempotency, notas};

pub fn built() -> Built {
    Built {
        operation: "documentos.delete",
        route: |method| on(method, delete),
        docs: Docs::new("Exclui um rascunho.").answers(&[(204, "Excluído.")]),
    }
}

async fn delete(call: Call, Path(reference): Path<String>) -> ApiResult<Answer<()>> {
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    drop(conn);
    // A draft is of the kind of key that made it, as where it is issued.
    if !issue::belongs(&nota, call.caller.kind)? {
        return Err(Refusal::new(Code::NaoEncontrado).into());
    }
    let deleted = call.app.db.write(nota, |nota, conn| {
        Box::pin(async move {
            if notas::delete_draft(conn, &nota.account_id, &nota.id).await? {
                // Its key may stand for another one.
                return Ok(idempotency::forget(conn, &nota.id).await?);
            }
            let (message, hint) = if is_announced(nota) {
                (
                    "Este CT-e foi emitido previamente (EPEC) e tem número: não pode ser excluído.",
                    "Transmita-o com POST /api/v1/cte/emitir.",
                )
            } else {
                (
                    "Só um rascunho pode ser excluído.",
                    "Um documento autorizado pode ser cancelado, não excluído.",
                )
            };
            let refusal = Refusal::new(Code::EstadoInvalido);
            Err(TxError::Abort(
                refusal.message(message).hint(hint).nota(&nota.id),
            ))
        })
    });
    deleted.await?;
    Ok(Answer::other(StatusCode::NO_CONTENT))
}
