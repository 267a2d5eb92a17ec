//! What every page is made of: who looks at it ([`visitor`]), forms that are done
//! once ([`form`], [`once`]), its frame and menu ([`frame`], [`layout`]), its parts
//! and its words ([`parts`], [`names`]). And the pages that need no login: those
//! before it ([`door`]) and the documentation ([`docs`]).
//!
//! The pages of somebody who is logged in stand in the crate above, `panel`; those
//! of operators, in `hub`, are made of the same parts.

pub mod assets;
pub mod docs;
pub mod door;
pub mod form;
pub mod frame;
pub mod layout;
pub mod names;
pub mod once;
pub mod parts;
pub mod reply;
pub mod visitor;

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use gate::Services;

/// What every page needs.
#[derive(Clone)]
pub struct Panel {
    pub app: Services,
    /// The operations, for people who are logged in.
    pub inside: api::inside::Inside,
}

impl Panel {
    /// The panel of a hub.
    pub fn new(app: &Services) -> Panel {
        Panel {
            app: app.clone(),
            inside: api::inside::Inside::new(app),
        }
    }
}

/// The page of an address that has none.
pub async fn nowhere() -> Response {
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
