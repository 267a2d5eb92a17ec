//! GET /api/v1/storage/arquivos/{id}: an object's bytes, for whoever has the
//! signed link.

use axum::body::Body;
use axum::extract::{Path, Query as UrlQuery};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::docs::{Built, Docs};
use gate::error::ApiResult;
use gate::request::list::Query;
use objects::storage;
use serde_json::json;
use std::fmt::Write as _;
use store::ids::ObjetoId;

pub fn built() -> Built {
    Built {
        operation: "storage.objetos.arquivo",
        route: |method| on(method, arquivo),
        docs: Docs::new("Baixa um objeto pelo link assinado, sem chave de API.")
            .query(
                "expira",
                "Momento em que o link vence, em segundos desde 1970.",
                json!({ "type": "integer" }),
            )
            .query(
                "assinatura",
                "Assinatura do link.",
                json!({ "type": "string" }),
            )
            .files(&["*/*"])
            .sends("ETag", &[200]),
    }
}

async fn arquivo(
    call: Call,
    Path(id): Path<ObjetoId>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiResult<Response> {
    let signature = query.get("assinatura").map_or("", String::as_str);
    let expires_s = query
        .get("expira")
        .and_then(|text| text.parse::<i64>().ok())
        .filter(|expires_s| storage::genuine(&call.app.objects, &id, *expires_s, signature))
        .ok_or_else(storage::nonexistent)?;
    if call.app.now_ms() / 1_000 >= expires_s {
        return Err(Refusal::new(Code::LinkExpirado).into());
    }
    let found = storage::open(&call.app.objects, &id).await?;
    let (row, content) = found.ok_or_else(storage::nonexistent)?;
    let mut response = Body::from_stream(content.pieces).into_response();
    let headers = response.headers_mut();
    let kind = HeaderValue::from_str(&row.tipo);
    let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(content.bytes));
    if let Ok(name) = HeaderValue::from_str(&attachment(&row.caminho)) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    // Whatever it is, it does nothing under this address (`nosniff` is set
    // for every answer).
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; sandbox"),
    );
    if let Ok(version) = HeaderValue::from_str(&format!("\"{}\"", row.sha256)) {
        headers.insert(header::ETAG, version);
    }
    Ok(response)
}

/// `Content-Disposition` with the last part of the path (RFC 6266).
pub fn attachment(caminho: &str) -> String {
    let name = caminho.rsplit('/').next().unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') => c,
            _ => '_',
        })
        .collect();
    let mut exact = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~') {
            exact.push(char::from(byte));
        } else if write!(exact, "%{byte:02X}").is_err() {
            break;
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}
