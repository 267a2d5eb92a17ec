//! POST /api/v1/webhooks/{id}/rotacionar-segredo: another secret; for a day both
//! sign.

use super::load;
use super::record::{ChangedWebhook, Webhook, WebhookWithSecret};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use events::webhooks::registration;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use store::ids::WebhookId;

pub fn built() -> Built {
    Built {
        operation: "webhooks.rotacionar-segredo",
        route: |method| on(method, rotate),
        docs: Docs::new("Troca o segredo do webhook; por 24 horas o anterior também assina.")
            .no_members()
            .success::<WebhookWithSecret>()
            .sends("ETag", &[200]),
    }
}

async fn rotate(
    call: Call,
    Path(id): Path<WebhookId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<WebhookWithSecret> {
    body::none(&call, &headers, &bytes)?;
    let row = load(&call, &id).await?;
    call.about(&row.id);
    let (row, sealed, notice) = registration::rotate(&call.app.events, row).await?;
    let changed = ChangedWebhook {
        webhook: Webhook::of(&row, &sealed, call.app.now_ms())?,
        avisos: notice.map(str::to_owned).into_iter().collect(),
    };
    let segredo = sealed.segredo;
    let answer = call.ok(WebhookWithSecret {
        mudado: changed,
        segredo,
    })?;
    Ok(answer.version(row.version))
}
