//! What operators ask of a running hub, by programs and on pages, on a listener of its
//! own (`admin.listen`), with a token of its own (`admin.token_file`). No key of an
//! account opens it, and the token opens no document of an account.

pub mod accounts;
mod actions;
mod adapters;
mod asked;
mod authorizers;
mod call;
mod deliveries;
mod desk;
mod disk;
mod doors;
mod inspect;
mod listing;
mod notes;
mod pages;
mod queues;
mod reason;
mod refusals;
pub mod strangers;

use crate::releases::{Following, source};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use base::config::Admin;
use base::errors::{Code, Failure, Refusal};
use call::Call;
use desk::Desk;
use doors::{Closed, Doors};
use gate::Services;
use gate::error::{ApiError, Carried};
use gate::server::Peer;
use gate::server::rest::taken_in;
use reason::DOOR;
use std::sync::Arc;

/// Actions that are shown at a time.
const ACTIONS: i64 = 100;
/// Header with the code of the second factor.
const CODE: &str = "x-totp";
/// Sentence where codes were guessed.
const TOO_MANY: &str = "Houve códigos errados demais: por até 15 minutos nenhum é aceito.";
/// Hint where the database failed: what was asked for may have been done.
const LOOK_FIRST: &str = "Veja antes em GET /admin/v1/adapters, /admin/v1/accounts ou /admin/v1/actions se a mudança foi feita; se não foi, repita depois do tempo indicado em Retry-After.";

/// The routes of `/admin/v1` and the pages of `/operador`, for whoever has what the
/// settings ask for.
///
/// # Errors
/// A file of the settings cannot be read, or holds no token or secret: nobody is admitted
/// then.
pub fn router(app: &Services, releases: &Following, settings: &Admin) -> anyhow::Result<Router> {
    let doors = Arc::new(Doors::of(settings)?);
    let desk = Desk::new(app, releases);
    let most = source::limit(&app.config);
    let programs = Router::new()
        .nest("/admin/v1/accounts", accounts::routes())
        .nest("/admin/v1/actions", actions::routes())
        .nest("/admin/v1/adapters", adapters::routes(most))
        .nest("/admin/v1/authorizers", authorizers::routes())
        .nest("/admin/v1/deliveries", deliveries::routes())
        .nest("/admin/v1/disk", disk::routes())
        .nest("/admin/v1/notes", notes::routes())
        .nest("/admin/v1/queues", queues::routes())
        .fallback(async || refused(Code::RotaInexistente))
        .method_not_allowed_fallback(async || refused(Code::MetodoNaoPermitido))
        .layer(from_fn_with_state((desk.clone(), doors.clone()), admitted))
        .layer(from_fn(taken_in))
        .with_state(desk.clone());
    Ok(programs.merge(pages::router(desk, doors, most)))
}

fn refused(code: Code) -> ApiError {
    ApiError(Refusal::new(code).into())
}

/// Lets requests with the token pass, changes only with a code where one is asked for,
/// and says failures as the API does. Each that has the token leaves a line in the log.
async fn admitted(
    State((desk, doors)): State<(Desk, Arc<Doors>)>,
    request: Request,
    next: Next,
) -> Response {
    let call = Call::of(&request, desk.app.now_ms());
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    let known = given.is_some_and(|given| doors.is_token(given));
    let response = if !known {
        let peer = request.extensions().get::<Peer>();
        desk.strangers.came(peer, "/admin/v1", desk.app.now_ms());
        let refusal = Refusal::new(Code::NaoAutenticado)
            .hint("Envie Authorization: Bearer com o token do operador (admin.token_file).");
        ApiError(refusal.into()).into_response()
    } else if let Some(refusal) = lacks_code(&request, &doors, desk.app.now_ms()) {
        let peer = request.extensions().get::<Peer>();
        desk.strangers
            .came(peer, "a change without its code", desk.app.now_ms());
        ApiError(refusal.into()).into_response()
    } else {
        next.run(request).await
    };
    let mut response = match response.extensions().get::<Carried>() {
        Some(Carried(failure)) => {
            let base_url = &desk.app.config.server.base_url;
            let looks = looks_first(failure);
            let failure = looks.as_ref().unwrap_or(failure);
            gate::error::render(failure, &call.id, base_url, false, false)
        }
        None => response,
    };
    if known {
        call.log(DOOR, &response);
    }
    call.name(&mut response);
    response
}

/// Why a change is refused for want of a code; None: it has one, or needs none.
fn lacks_code(request: &Request, doors: &Doors, now_ms: i64) -> Option<Refusal> {
    if !doors.asks_for_code() || matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let given = request.headers().get(CODE);
    let given = given.and_then(|value| value.to_str().ok());
    let closed = doors.takes(given.unwrap_or_default(), now_ms);
    let message = match closed.err()? {
        Closed::TooMany => TOO_MANY,
        Closed::Wrong => {
            "Uma mudança pede também o código do segundo fator, e ele falta, não é o deste momento ou já foi usado."
        }
    };
    let hint = "Envie X-Totp com os seis dígitos que o autenticador mostra agora (admin.totp_file); cada código vale uma vez, e o próximo vem em até 30 segundos.";
    Some(
        Refusal::new(Code::NaoAutenticado)
            .message(message)
            .hint(hint),
    )
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
