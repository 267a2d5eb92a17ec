//! The pages of `/operador`, for operators who use no program: what is installed, what
//! it may do, the accounts, what waits and what is stuck, and the changes that `/admin/v1`
//! makes. They are complete without a script.

mod accounts;
mod actions;
mod authorizers;
mod change;
mod deliveries;
mod disk;
mod door;
mod frame;
mod history;
mod inspection;
mod list;
mod notes;
mod queues;
mod session;

use super::asked::{ARRIVES, JSON_BYTES};
use super::call::Call;
use super::desk::Desk;
use super::doors::Doors;
use crate::releases::change::Actor;
use ::accounts::users::session::digest;
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base::errors::{Code, Failure};
use gate::server::rest::taken_in;
use page::form::{Arrival, Fields, same_site};
use page::reply::Problem;
use page::visitor::cookie;
use session::Sessions;
use std::sync::Arc;
use std::time::Duration;
use store::DbError;

/// Where the pages begin.
const HOME: &str = "/operador";
/// Cookie of a session.
const COOKIE: &str = "operador";
/// Who did it, in the rows of `adapter_actions` and `operator_actions` and in the audit of
/// an account.
const ACTOR: &str = "operador";
/// How a form of text arrives.
const FORM: Arrival = Arrival {
    time: Duration::from_secs(10),
    most: "64 KiB",
};
/// How a form with a component arrives.
const COMPONENT: Arrival = Arrival {
    time: ARRIVES,
    most: "o tamanho que um componente pode ter (flow.component_bytes)",
};

/// What the pages share.
#[derive(Clone)]
struct Pages {
    desk: Desk,
    doors: Arc<Doors>,
    sessions: Sessions,
}

impl FromRef<Pages> for Desk {
    fn from_ref(pages: &Pages) -> Desk {
        pages.desk.clone()
    }
}

impl Pages {
    fn actor(&self) -> Actor {
        self.desk.actor(ACTOR)
    }
}

/// `most`: bytes of the largest component.
pub(super) fn router(desk: Desk, doors: Arc<Doors>, most: u64) -> Router {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let install =
        post(change::install).layer(DefaultBodyLimit::max(most.saturating_add(JSON_BYTES)));
    Router::new()
        .route(HOME, get(list::page))
        .route("/operador/entrar", get(door::page).post(door::enter))
        .route("/operador/sair", post(door::leave))
        .route("/operador/historico", get(history::page))
        .route("/operador/instalar", install)
        .route(
            "/operador/adaptadores/{nome}",
            get(inspection::page).post(change::change),
        )
        .route("/operador/{*resto}", get(async || nowhere()))
        .merge(accounts::routes())
        .merge(actions::routes())
        .merge(authorizers::routes())
        .merge(deliveries::routes())
        .merge(disk::routes())
        .merge(notes::routes())
        .merge(queues::routes())
        // What people type.
        .route("/", get(async || Redirect::to(HOME)))
        .layer(DefaultBodyLimit::max(JSON_BYTES))
        .merge(page::assets::router())
        .layer(from_fn(page::guarded))
        .layer(from_fn(own))
        .layer(from_fn(taken_in))
        .layer(from_fn_with_state(desk.clone(), logged))
        .with_state(Pages {
            desk,
            doors,
            sessions: Sessions::default(),
        })
}

fn nowhere() -> Problem {
    problem(
        404,
        "Página não encontrada",
        "O endereço não existe, ou não existe mais.",
    )
}

fn absent() -> Problem {
    let sentence = "Nenhum adaptador ou versão se chama assim neste hub.";
    problem(404, "Adaptador não encontrado", sentence)
}

fn unclear() -> Problem {
    let sentence = "Um parâmetro do endereço está repetido ou não é o que deveria ser.";
    problem(400, "Endereço não reconhecido", sentence)
}

fn problem(status: u16, title: &str, sentence: &str) -> Problem {
    Problem::new(status, title, sentence).within(HOME)
}

/// Why a form cannot be read, on a page that leads back here.
fn unread(status: StatusCode, arrival: Arrival) -> Problem {
    let sentence = match status {
        StatusCode::REQUEST_TIMEOUT => "O formulário não chegou inteiro. Envie de novo.".to_owned(),
        StatusCode::PAYLOAD_TOO_LARGE => {
            format!("O formulário é maior do que pode ser: {}.", arrival.most)
        }
        _ => "O formulário não pôde ser lido. Volte, recarregue e envie de novo.".to_owned(),
    };
    problem(status.as_u16(), "Formulário recusado", &sentence)
}

/// A page instead of one that a failure of ours prevents. What passes is told apart.
fn failed(failure: Failure) -> Problem {
    match failure {
        Failure::Refused(refusal) if refusal.code == Code::Manutencao => problem(
            503,
            "Fora do ar por um momento",
            "O banco de dados está ocupado ou indisponível. Espere um pouco e veja na lista se a mudança foi feita antes de repetir.",
        ),
        failure => Problem::from(failure).within(HOME),
    }
}

/// As [`failed`], of the database.
fn down(error: DbError) -> Problem {
    failed(error.into())
}

/// The page that says that an address with the null character does not exist leads back
/// here, as all others.
async fn own(request: Request, next: Next) -> Response {
    let asked = request.uri().path_and_query();
    let null = asked.is_some_and(|asked| asked.as_str().contains("%00"));
    let response = next.run(request).await;
    if !null {
        return response;
    }
    let (mut parts, _of_panel) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, nowhere().into_response().into_body())
}

/// Writes the line of each page in the log, and gives its id to the answer.
async fn logged(State(desk): State<Desk>, request: Request, next: Next) -> Response {
    let call = Call::of(&request, desk.app.now_ms());
    let mut response = next.run(request).await;
    call.log(ACTOR, &response);
    call.name(&mut response);
    response
}

/// An operator who is logged in.
struct Operator {
    /// What the forms of the session carry.
    csrf: Arc<str>,
}

impl FromRequestParts<Pages> for Operator {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, pages: &Pages) -> Result<Operator, Response> {
        let now_ms = pages.desk.app.now_ms();
        let cookie = cookie(&parts.headers, COOKIE);
        let csrf = cookie.and_then(|cookie| pages.sessions.csrf(cookie, now_ms));
        let operator = csrf.map(|csrf| Operator { csrf });
        operator.ok_or_else(|| Redirect::to("/operador/entrar").into_response())
    }
}

impl Operator {
    /// The fields of a form that a page of this session showed.
    async fn form(&self, request: Request, arrival: Arrival) -> Result<Fields, Response> {
        same_site(request.headers()).map_err(|foreign| foreign.within(HOME).into_response())?;
        let fields = Fields::read(request, arrival).await;
        let fields = fields.map_err(|it| unread(it.status(), arrival).into_response())?;
        // Digests, because the time of a comparison would tell where texts differ.
        if digest(fields.raw("csrf")) == digest(&self.csrf) {
            return Ok(fields);
        }
        let sentence = "O formulário não veio desta página, ou a sessão mudou. Volte, recarregue e envie de novo.";
        Err(problem(403, "Formulário recusado", sentence).into_response())
    }
}
