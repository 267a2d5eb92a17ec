//! What a programmer reads: the interface with Swagger UI, the codes of errors,
//! and a plain guide for language models. All of it is made of the same
//! tables the server works with.

mod errors;
mod guides;
mod llms;
mod operations;
mod swagger;

use super::{Panel, frame};
use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use maud::{Markup, html};

/// Pages below `/docs`, and `/llms.txt`.
pub fn router() -> Router<Panel> {
    Router::new()
        .route("/docs/", get(|| async { Redirect::permanent("/docs") }))
        .route("/docs/erros", get(errors::page))
        .route("/llms.txt", get(llms::text))
        .merge(guides::router())
        .merge(swagger::router())
}

/// The frame of a page that anybody may read.
fn page(title: &str, content: Markup) -> Markup {
    frame::open(
        title,
        html! {
            nav class="acoes" aria-label="Documentação" {
                a href="/docs" { "Interface" }
                a href="/docs/guias" { "Guias" }
                a href="/docs/erros" { "Erros" }
                a href="/api/v1/openapi.json" { "OpenAPI" }
                a href="/llms.txt" { "llms.txt" }
                a href="/painel" { "Painel" }
            }
            h1 { (title) }
            (content)
        },
    )
}
