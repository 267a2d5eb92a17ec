//! GET /api/v1/webhooks/{id}

use super::load;
use super::record::Webhook;
use axum::extract::Path;
use axum::routing::on;
use events::attempt::sealed;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use store::ids::WebhookId;

pub fn built() -> Built {
    Built {
        operation: "webhooks.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra um webhook, sem o segredo.")
            .success::<Webhook>()
            .sends("ETag", &[200]),
    }
}

async fn get(call: Call, Path(id): Path<WebhookId>) -> ApiAnswer<Webhook> {
    let row = load(&call, &id).await?;
    let sealed = sealed::open(&call.app.keyring, &row)?;
    let answer = call.ok(Webhook::of(&row, &sealed, call.app.now_ms())?)?;
    Ok(answer.version(row.version))
}
