//! The panel: pages for people, made on the server, complete without a
//! script.
//!
//! A page asks the same operations a customer's program asks
//! ([`api::inside`]), as the person who looks at it: what the panel can
//! do, the API can, with the same rules and the same words.

pub mod pages;

// What pages are made of, by the names it has there: `crate::parts` is `page::parts`.
use page::{Panel, assets, docs, door, form, frame, layout, names, once, parts, reply, visitor};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::response::Redirect;
use axum::routing::get;
use gate::Services;

/// Largest form: a certificate and what goes with it.
const FORM_BYTES: usize = 1_048_576;

/// Pages below `/painel`, and those that anybody may read.
pub fn router(app: &Services) -> Router {
    let panel = Panel::new(app);
    Router::new()
        .route("/", get(|| async { Redirect::to("/painel") }))
        .merge(door::router())
        .merge(pages::router())
        .merge(assets::router())
        .merge(docs::router())
        // What people type; below it the catch-all takes no empty rest.
        .route("/painel/", get(|| async { Redirect::permanent("/painel") }))
        .route("/painel/{*resto}", get(page::nowhere))
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(middleware::from_fn_with_state(panel.clone(), once::layer))
        .layer(middleware::from_fn(page::guarded))
        .with_state(panel)
}
