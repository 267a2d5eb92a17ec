//! What operators ask of a running hub, by programs and on pages, on a listener of its
//! own (`admin.listen`), with a token of its own (`admin.token_file`). No key of an
//! account opens it, and the token opens nothing of an account.

mod adapters;
mod asked;
mod desk;
mod inspect;
mod pages;
mod refusals;
pub mod strangers;

use crate::releases::{Following, source};
use anyhow::Context as _;
use authority::gateway::Gateway;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use base::errors::{Code, Failure, Refusal};
use base::ids;
use desk::Desk;
use gate::error::{ApiError, Carried};
use gate::server::Peer;
use gate::server::rest::taken_in;
use openssl::memcmp;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use store::ids::RequestId;

/// Characters a token must have: it cannot be guessed, however often somebody tries.
const LEAST: usize = 32;
/// Different characters it must have: one letter many times can be guessed. Of 32 digits at
/// random, one token in seventeen million has fewer.
const DIFFERENT: usize = 6;
/// Actions that are shown at a time.
const ACTIONS: i64 = 100;
/// Hint where the database failed: what was asked for may have been done.
const LOOK_FIRST: &str = "Veja antes em GET /admin/v1/adapters se a mudança foi feita; se não foi, repita depois do tempo indicado em Retry-After.";
/// Permission of a file: everybody on this machine may read it.
const EVERYBODY_READS: u32 = 0o004;
/// Largest file of a token, in bytes.
const TOKEN_BYTES: u64 = 4 << 10;
/// SHA-256 of the token.
type Token = Arc<[u8; 32]>;

/// The routes of `/admin/v1` and the pages of `/operador`, for whoever has the token of this file.
///
/// # Errors
/// The file cannot be read, or holds no token: nobody is admitted then.
pub fn router(app: &Gateway, releases: &Following, token_file: &Path) -> anyhow::Result<Router> {
    let token =
        token(token_file).with_context(|| format!("admin.token_file {}", token_file.display()))?;
    let token: Token = Arc::new(Sha256::digest(&token).into());
    let desk = Desk::new(app, releases);
    let most = source::limit(&app.config);
    let programs = Router::new()
        .nest("/admin/v1/adapters", adapters::routes(most))
        .fallback(async || refused(Code::RotaInexistente))
        .method_not_allowed_fallback(async || refused(Code::MetodoNaoPermitido))
        .layer(from_fn_with_state((desk.clone(), token.clone()), admitted))
        .layer(from_fn(taken_in))
        .with_state(desk.clone());
    Ok(programs.merge(pages::router(desk, token, most)))
}

/// The token of a file: one line, as a header can have it.
fn token(file: &Path) -> anyhow::Result<String> {
    let bytes = flow::component::bounded::read(file, TOKEN_BYTES)?;
    if std::fs::metadata(file)?.mode() & EVERYBODY_READS != 0 {
        tracing::warn!(file = %file.display(), "everybody on this machine can read admin.token_file");
    }
    let text = String::from_utf8(bytes).context("a token is text")?;
    let token = text.trim();
    anyhow::ensure!(
        token.len() >= LEAST,
        "a token has at least {LEAST} characters"
    );
    anyhow::ensure!(
        token.chars().all(|c| c.is_ascii_graphic()),
        "a token is one line of letters, digits and signs"
    );
    let different: BTreeSet<char> = token.chars().collect();
    anyhow::ensure!(
        different.len() >= DIFFERENT,
        "a token has at least {DIFFERENT} different characters"
    );
    Ok(token.to_owned())
}

/// Whether a text is the token, in a time that says nothing about it.
fn is_token(given: &str, token: &Token) -> bool {
    memcmp::eq(&Sha256::digest(given), &**token)
}

fn refused(code: Code) -> ApiError {
    ApiError(Refusal::new(code).into())
}

/// Lets requests with the token pass, and says failures as the API does.
async fn admitted(
    State((desk, token)): State<(Desk, Token)>,
    request: Request,
    next: Next,
) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let response = if given.is_some_and(|given| is_token(given, &token)) {
        next.run(request).await
    } else {
        let peer = request.extensions().get::<Peer>();
        desk.strangers.came(peer, "/admin/v1", desk.app.now_ms());
        let refusal = Refusal::new(Code::NaoAutenticado)
            .hint("Envie Authorization: Bearer com o token do operador (admin.token_file).");
        ApiError(refusal.into()).into_response()
    };
    match response.extensions().get::<Carried>() {
        Some(Carried(failure)) => {
            let id = RequestId::from(ids::new("req", desk.app.now_ms()));
            let base_url = &desk.app.config.server.base_url;
            let looks = looks_first(failure);
            gate::error::render(looks.as_ref().unwrap_or(failure), &id, base_url, false)
        }
        None => response,
    }
}

/// A failure that passes, with the hint of this listener: nothing here reads an
/// Idempotency-Key. None: it is another one.
fn looks_first(failure: &Failure) -> Option<Failure> {
    let Failure::Refused(refusal) = failure else {
        return None;
    };
    let passes = refusal.code == Code::Manutencao && refusal.hint.is_some();
    passes.then(|| refusal.as_ref().clone().hint(LOOK_FIRST).into())
}
