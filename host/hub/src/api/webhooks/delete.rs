//! DELETE /api/v1/webhooks/{id}

use crate::api::Built;
use crate::api::gate::Call;
use crate::api::openapi::Docs;
use crate::errors::Failure;
use crate::webhooks::registration;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::on;

pub fn built() -> Built {
    Built {
        operation: "webhooks.delete",
        route: |method| on(method, delete),
        docs: Docs::new("Remove um webhook; as entregas feitas continuam no registro.")
            .answers(&[(204, "Removido.")]),
    }
}

async fn delete(call: Call, Path(id): Path<String>) -> Result<Response, Failure> {
    let caller = &call.caller;
    registration::delete(&call.app.events, &caller.account_id, &caller.kind, &id).await?;
    call.about(&id);
    Ok(StatusCode::NO_CONTENT.into_response())
}
