//! PATCH /api/v1/webhooks/{id}: address, kinds, companies, headers, on or off.

use super::load;
use super::record::{ChangedWebhook, Webhook, WebhookIn};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use events::webhooks::registration;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, etag};
use store::ids::WebhookId;

pub fn built() -> Built {
    Built {
        operation: "webhooks.update",
        route: |method| on(method, update),
        docs: Docs::new(
            "Muda um webhook. Ao desativar, o que esperava por ele vai para a fila de falhas.",
        )
        .body::<WebhookIn>()
        .success::<ChangedWebhook>()
        .sends("ETag", &[200])
        .header(
            "If-Match",
            "ETag lido antes; 412 se o webhook mudou desde então.",
            etag::schema(),
        ),
    }
}

async fn update(
    call: Call,
    Path(id): Path<WebhookId>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<ChangedWebhook> {
    let value = body::parse(&call, &headers, &bytes)?;
    let wish: WebhookIn = body::read(value, call.tolerant)?;
    let row = load(&call, &id).await?;
    call.about(&row.id);
    etag::check(&headers, row.version)?;
    let (row, sealed, notices) = registration::update(&call.app.events, row, wish.into()).await?;
    let answer = call.ok(ChangedWebhook {
        webhook: Webhook::of(&row, &sealed, call.app.now_ms())?,
        avisos: notices,
    })?;
    Ok(answer.version(row.version))
}
