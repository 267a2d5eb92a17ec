//! GET /api/v1/documentos/{ref}: a document as it is now; where a 202 points.

use super::load;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::{Built, json};
use axum::extract::Path;
use axum::response::Response;
use axum::routing::on;
use issuing::answer;
use serde_json::{Map, Value};
use store::tables::notas::NotaStatus;

pub fn built() -> Built {
    Built {
        operation: "documentos.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um documento pelo nota_id ou pela chave de acesso."),
    }
}

async fn get(call: Call, Path(reference): Path<String>) -> ApiResult<Response> {
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    let exists = matches!(nota.status.as_str(), "autorizada" | "cancelada");
    let mut body = answer::nota(&nota)?;
    body.insert("sucesso".to_owned(), true.into());
    if matches!(nota.status, NotaStatus::Rejeitada | NotaStatus::NaoEnviada) {
        body.insert("recusa".to_owned(), refusal(&nota.answer));
    }
    body.insert("consumiu_numero_fiscal".to_owned(), exists.into());
    body.insert(
        "consumiu_credito".to_owned(),
        (exists && nota.preco > 0).into(),
    );
    body.insert(
        "request_id".to_owned(),
        call.caller.request_id.clone().into(),
    );
    Ok(json(200, &body.into()))
}

/// What the issuing call was answered: why nothing was issued.
fn refusal(answer: &str) -> Value {
    let answer: Map<String, Value> = serde_json::from_str(answer).unwrap_or_default();
    let kept = answer
        .into_iter()
        .filter(|(name, _)| matches!(name.as_str(), "codigo" | "mensagem" | "dica" | "campos"));
    Value::Object(kept.collect())
}
