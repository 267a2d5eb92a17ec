//! What an operator's programs ask of a running hub, on a listener of its own
//! (`admin.listen`), with a token of its own (`admin.token_file`). No key of an account
//! opens it, and the token opens nothing of an account.

mod adapters;

use crate::releases::{Following, source};
use anyhow::Context as _;
use authority::gateway::Gateway;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use base::errors::{Code, Refusal};
use base::ids;
use gate::error::{ApiError, Carried};
use openssl::memcmp;
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::sync::Arc;
use store::ids::RequestId;
use tokio::sync::Mutex;

/// Characters a token must have: it cannot be guessed, however often somebody tries.
const LEAST: usize = 32;

/// What the handlers share.
#[derive(Clone)]
struct Desk {
    app: Gateway,
    releases: Following,
    /// SHA-256 of the token.
    token: Arc<[u8; 32]>,
    /// One component is judged at a time: it takes a processor for seconds.
    installing: Arc<Mutex<()>>,
}

/// The routes of `/admin/v1`, for whoever has the token of this file.
///
/// # Errors
/// The file cannot be read, or its token is too short.
pub fn router(app: &Gateway, releases: &Following, token_file: &Path) -> anyhow::Result<Router> {
    let token = std::fs::read_to_string(token_file)
        .with_context(|| format!("admin.token_file {}", token_file.display()))?;
    let token = token.trim();
    anyhow::ensure!(
        token.len() >= LEAST,
        "admin.token_file {}: a token has at least {LEAST} characters",
        token_file.display()
    );
    let desk = Desk {
        app: app.clone(),
        releases: releases.clone(),
        token: Arc::new(Sha256::digest(token).into()),
        installing: Arc::default(),
    };
    Ok(Router::new()
        .nest(
            "/admin/v1/adapters",
            adapters::routes(source::limit(&app.config)),
        )
        .fallback(async || refused(Code::RotaInexistente))
        .method_not_allowed_fallback(async || refused(Code::MetodoNaoPermitido))
        .layer(from_fn_with_state(desk.clone(), admitted))
        .with_state(desk))
}

fn refused(code: Code) -> ApiError {
    ApiError(Refusal::new(code).into())
}

/// Lets requests with the token pass, and says failures as the API does.
async fn admitted(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let digest = Sha256::digest(given.unwrap_or_default());
    let response = if given.is_some() && memcmp::eq(&digest, &*desk.token) {
        next.run(request).await
    } else {
        let refusal = Refusal::new(Code::NaoAutenticado)
            .hint("Envie Authorization: Bearer com o token do operador (admin.token_file).");
        ApiError(refusal.into()).into_response()
    };
    match response.extensions().get::<Carried>() {
        Some(Carried(failure)) => {
            let id = RequestId::from(ids::new("req", desk.app.now_ms()));
            gate::error::render(failure, &id, &desk.app.config.server.base_url, false)
        }
        None => response,
    }
}
