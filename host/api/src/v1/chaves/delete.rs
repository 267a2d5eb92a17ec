//! DELETE /api/v1/chaves/{id}: revokes a key, also the one that asks.

use super::creator;
use accounts::api_keys;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::on;
use gate::Call;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use store::ids::KeyId;

pub fn built() -> Built {
    Built {
        operation: "chaves.delete",
        route: |method| on(method, delete),
        docs: Docs::new(
            "Revoga qualquer chave da conta que se veja, mesmo a própria ou a última com o escopo chaves; vale em todos os nós em até 5 segundos.",
        )
        .answers(&[(204, "Revogada.")]),
    }
}

async fn delete(call: Call, Path(id): Path<KeyId>) -> ApiResult<StatusCode> {
    let row = api_keys::revoke(&call.app.people, creator(&call)?, &id).await?;
    call.about(&row.id);
    Ok(StatusCode::NO_CONTENT)
}
