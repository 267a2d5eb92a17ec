//! POST /api/v1/webhooks/{id}/rotacionar-segredo: another secret; for a day both
//! sign.

use super::load;
use super::record::answer;
use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::request::{body, etag};
use crate::{Built, json};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use events::webhooks::registration;

pub fn built() -> Built {
    Built {
        operation: "webhooks.rotacionar-segredo",
        route: |method| on(method, rotate),
        docs: Docs::new("Troca o segredo do webhook; por 24 horas o anterior também assina.")
            .no_members()
            .sends("ETag", &[200]),
    }
}

async fn rotate(
    call: Call,
    Path(id): Path<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiResult<Response> {
    body::none(&call, &headers, &bytes)?;
    let row = load(&call, &id).await?;
    call.about(&row.id);
    let (row, sealed, notice) = registration::rotate(&call.app.events, row).await?;
    let mut body = answer(&row, &sealed, call.app.now_ms(), &call.caller.request_id);
    body.insert("segredo".to_owned(), sealed.segredo.clone().into());
    body.insert("avisos".to_owned(), notice.into_iter().collect());
    Ok(etag::with(json(200, &body.into()), row.version))
}
