//! The panel: pages for people, made on the server, complete without a
//! script.
//!
//! A page asks the same operations a customer's program asks
//! ([`api::inside`]), as the person who looks at it: what the panel can
//! do, the API can, with the same rules and the same words.

pub mod assets;
pub mod docs;
pub mod door;
pub mod form;
pub mod frame;
mod layout;
pub mod names;
mod once;
pub mod pages;
pub mod parts;
pub mod reply;
pub mod visitor;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use gate::Services;

/// Largest form: a certificate and what goes with it.
const FORM_BYTES: usize = 1_048_576;

/// What every page needs.
#[derive(Clone)]
pub struct Panel {
    pub app: Services,
    /// The operations, for people who are logged in.
    pub inside: api::inside::Inside,
}

/// Pages below `/painel`.
pub fn router(app: &Services) -> Router {
    let panel = Panel {
        app: app.clone(),
        inside: api::inside::Inside::new(app),
    };
    Router::new()
        .route("/", get(|| async { Redirect::to("/painel") }))
        .merge(door::router())
        .merge(pages::router())
        .merge(assets::router())
        .merge(docs::router())
        // What people type; below it the catch-all takes no empty rest.
        .route("/painel/", get(|| async { Redirect::permanent("/painel") }))
        .route("/painel/{*resto}", get(nowhere))
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(middleware::from_fn_with_state(panel.clone(), once::layer))
        .layer(middleware::from_fn(guarded))
        .with_state(panel)
}

async fn nowhere() -> Response {
    reply::Problem::new(
        404,
        "Página não encontrada",
        "O endereço não existe, ou não existe mais.",
    )
    .into_response()
}

/// Sets the headers that limit a page: a browser loads nothing that does not
/// come from this server.
pub async fn guarded(request: Request, next: Next) -> Response {
    let asked = request
        .uri()
        .path_and_query()
        .map_or("", |asked| asked.as_str());
    let mut response = if asked.contains("%00") {
        nowhere().await
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    set(
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
         form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "same-origin");
    set(header::CACHE_CONTROL, "no-store");
    response
}
