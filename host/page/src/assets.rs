//! Style and script of the pages, embedded; their addresses change with their
//! content, so a browser may keep them for ever.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest as _, Sha256};
use std::sync::OnceLock;

const STYLE: &str = include_str!("assets/painel.css");
const SCRIPT: &str = include_str!("assets/painel.js");

/// `/painel/arquivos/<digest>.css`
pub fn style() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| address(STYLE, "css"))
}

/// `/painel/arquivos/<digest>.js`
pub fn script() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| address(SCRIPT, "js"))
}

fn address(content: &str, ending: &str) -> String {
    let digest = flow::hex(&Sha256::digest(content.as_bytes())[..8]);
    format!("/painel/arquivos/{digest}.{ending}")
}

/// Their routes.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route(
            style(),
            get(|| async { file(STYLE, "text/css; charset=utf-8") }),
        )
        .route(
            script(),
            get(|| async { file(SCRIPT, "text/javascript; charset=utf-8") }),
        )
}

fn file(content: &'static str, media: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, media),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, content).into_response()
}
