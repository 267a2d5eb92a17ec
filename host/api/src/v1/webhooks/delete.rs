//! DELETE /api/v1/webhooks/{id}

use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::on;
use events::webhooks::registration;
use gate::Call;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use store::ids::WebhookId;

pub fn built() -> Built {
    Built {
        operation: "webhooks.delete",
        route: |method| on(method, delete),
        docs: Docs::new("Remove um webhook; as entregas feitas continuam no registro.")
            .answers(&[(204, "Removido.")]),
    }
}

async fn delete(call: Call, Path(id): Path<WebhookId>) -> ApiResult<StatusCode> {
    let caller = &call.caller;
    registration::delete(&call.app.events, &caller.account_id, caller.kind, &id).await?;
    call.about(&id);
    Ok(StatusCode::NO_CONTENT)
}
