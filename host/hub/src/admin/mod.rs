//! What an operator's programs ask of a running hub, on a listener of its own
//! (`admin.listen`), with a token of its own (`admin.token_file`). No key of an account
//! opens it, and the token opens nothing of an account.

mod adapters;
mod asked;
mod inspect;

use crate::releases::change::Refused;
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
use gate::error::{ApiError, Carried};
use gate::server::rest::taken_in;
use openssl::memcmp;
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::sync::Arc;
use store::TxError;
use store::ids::RequestId;
use tokio::sync::{Mutex, Semaphore};

/// Characters a token must have: it cannot be guessed, however often somebody tries.
const LEAST: usize = 32;
/// Largest file of a token, in bytes.
const TOKEN_BYTES: u64 = 4 << 10;
/// Where who names what is not there finds what is.
const SHOWS: &str = "GET /admin/v1/adapters mostra o que está instalado e em que estado.";

/// What the handlers share.
#[derive(Clone)]
struct Desk {
    app: Gateway,
    releases: Following,
    /// SHA-256 of the token.
    token: Arc<[u8; 32]>,
    /// One component is judged at a time: it takes a processor for seconds.
    installing: Arc<Mutex<()>>,
    /// Others wait in memory, but not many.
    room: Arc<Semaphore>,
}

/// The routes of `/admin/v1`, for whoever has the token of this file.
///
/// # Errors
/// The file cannot be read, or holds no token: nobody is admitted then.
pub fn router(app: &Gateway, releases: &Following, token_file: &Path) -> anyhow::Result<Router> {
    let token =
        token(token_file).with_context(|| format!("admin.token_file {}", token_file.display()))?;
    let desk = Desk {
        app: app.clone(),
        releases: releases.clone(),
        token: Arc::new(Sha256::digest(&token).into()),
        installing: Arc::default(),
        room: Arc::new(Semaphore::new(asked::INSTALLING)),
    };
    Ok(Router::new()
        .nest(
            "/admin/v1/adapters",
            adapters::routes(source::limit(&app.config)),
        )
        .fallback(async || refused(Code::RotaInexistente))
        .method_not_allowed_fallback(async || refused(Code::MetodoNaoPermitido))
        .layer(from_fn_with_state(desk.clone(), admitted))
        .layer(from_fn(taken_in))
        .with_state(desk))
}

/// The token of a file: one line, as a header can have it.
fn token(file: &Path) -> anyhow::Result<String> {
    let bytes = flow::component::bounded::read(file, TOKEN_BYTES)?;
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
    Ok(token.to_owned())
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

/// Why nothing was changed, or shown.
fn not_changed(error: TxError<Refused>) -> Failure {
    let refused = match error {
        TxError::Db(error) => return Failure::Internal(error.into()),
        TxError::Abort(refused) => refused,
    };
    let code = match refused {
        Refused::Nothing(_) | Refused::Unknown(..) => Code::NaoEncontrado,
        Refused::Ambiguous(..) => Code::ParametroInvalido,
        _ => Code::EstadoInvalido,
    };
    Refusal::new(code)
        .message(refused.to_string())
        .hint(SHOWS)
        .into()
}
