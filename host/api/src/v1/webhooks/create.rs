//! POST /api/v1/webhooks: registers an address; its secret is shown once.

use super::record::{WebhookIn, answer};
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::{body, etag};
use crate::{Built, json};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use events::webhooks::registration;

pub fn built() -> Built {
    Built {
        operation: "webhooks.create",
        route: |method| on(method, create),
        docs: Docs::new(
            "Registra um webhook. O segredo, com que se conferem as assinaturas, só aparece aqui.",
        )
        .body(schemars::schema_for!(WebhookIn).to_value())
        .requires(&["url"])
        .answers(&[(201, "Registrado.")])
        .sends("ETag", &[201]),
    }
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
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
    let mut body = answer(&row, &sealed, call.app.now_ms(), &caller.request_id);
    body.insert("segredo".to_owned(), sealed.segredo.clone().into());
    body.insert("avisos".to_owned(), notices.into());
    Ok(etag::with(json(201, &body.into()), row.version))
}
