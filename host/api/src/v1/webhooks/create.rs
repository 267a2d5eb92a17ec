//! POST /api/v1/webhooks: registers an address; its secret is shown once.

use super::record::{ChangedWebhook, Webhook, WebhookIn, WebhookWithSecret};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use events::webhooks::registration;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;

pub fn built() -> Built {
    Built {
        operation: "webhooks.create",
        route: |method| on(method, create),
        docs: Docs::new(
            "Registra um webhook. O segredo, com que se conferem as assinaturas, só aparece aqui.",
        )
        .explained("Use em vez de perguntar se a nota saiu: a cada evento o endereço recebe um POST assinado, repetido se falhar. Sem eventos, recebe os tipos mais usados. Recusa o endereço que não é público ou não usa https, e o tipo de evento que não existe.")
        .body::<WebhookIn>()
        .requires(&["url"])
        .answers(&[(201, "Registrado.")])
        .success::<WebhookWithSecret>()
        .sends("ETag", &[201]),
    }
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<WebhookWithSecret> {
    let value = body::parse(&call, &headers, &bytes)?;
    let wish: WebhookIn = body::read(value, call.tolerant)?;
    let caller = &call.caller;
    let (row, sealed, notices) = registration::create(
        &call.app.events,
        &caller.account_id,
        caller.kind,
        wish.into(),
    )
    .await?;
    call.about(&row.id);
    let changed = ChangedWebhook {
        webhook: Webhook::of(&row, &sealed, call.app.now_ms())?,
        avisos: notices,
    };
    let segredo = sealed.segredo;
    let answer = call.created(WebhookWithSecret {
        mudado: changed,
        segredo,
    })?;
    Ok(answer.version(row.version))
}
