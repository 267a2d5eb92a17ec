//! Coming in with the operator's token, and going out.

use super::session::LIVES_MS;
use super::{COOKIE, FORM, HOME, Operator, Pages, problem, unread};
use crate::admin::TOO_MANY;
use crate::admin::doors::Closed;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use gate::server::Peer;
use maud::{Markup, html};
use page::form::{Fields, same_site};
use page::frame;
use page::parts::{alert, field};

pub(super) async fn page(State(pages): State<Pages>) -> Markup {
    form(&pages, None)
}

fn form(pages: &Pages, wrong: Option<&str>) -> Markup {
    let hint = "O conteúdo do arquivo de admin.token_file.";
    let input = html! {
        input id="token" name="token" type="password" autocomplete="current-password" required aria-describedby="token-dica";
    };
    frame::door_of(
        HOME,
        "Operador",
        "",
        html! {
            @if let Some(sentence) = wrong { (alert(sentence)) }
            form class="campos" method="post" action="/operador/entrar" {
                (field("token", "Token do operador", hint, input))
                @if pages.doors.asks_for_code() {
                    (field("codigo", "Código do autenticador", "Seis dígitos, que mudam a cada 30 segundos.", html! {
                        input id="codigo" name="codigo" type="text" inputmode="numeric" autocomplete="one-time-code" required aria-describedby="codigo-dica";
                    }))
                }
                button class="botao" { "Entrar" }
            }
        },
    )
}

pub(super) async fn enter(State(pages): State<Pages>, request: Request) -> Response {
    if let Err(foreign) = same_site(request.headers()) {
        return foreign.within(HOME).into_response();
    }
    let secure = is_secure(request.headers());
    let peer = request.extensions().get::<Peer>().copied();
    let fields = match Fields::read(request, FORM).await {
        Ok(fields) => fields,
        Err(unreadable) => return unread(unreadable.status(), FORM).into_response(),
    };
    let now_ms = pages.desk.app.now_ms();
    if let Err(why) = known(&pages, &fields, now_ms) {
        pages.desk.strangers.came(peer.as_ref(), "login", now_ms);
        return (StatusCode::UNPROCESSABLE_ENTITY, form(&pages, Some(why))).into_response();
    }
    match pages.sessions.begin(now_ms) {
        Ok(cookie) => led(&cookie, (LIVES_MS / 1_000, secure), HOME),
        Err(error) => {
            tracing::error!(error = %format!("{error:#}"), "an operator's session was not begun");
            problem(500, "Erro interno", "Tente de novo.").into_response()
        }
    }
}

/// Whether the form has the token and the code that are asked for; the sentence that says
/// which one is wrong.
fn known(pages: &Pages, fields: &Fields, now_ms: i64) -> Result<(), &'static str> {
    if !pages.doors.is_token(fields.get("token")) {
        return Err("O token não é o deste hub.");
    }
    let code = fields.get("codigo");
    let taken = pages.doors.takes(code, now_ms);
    taken.map_err(|closed| match closed {
        Closed::TooMany => TOO_MANY,
        Closed::Wrong => "O código não é o deste momento, ou já foi usado.",
    })
}

pub(super) async fn leave(
    State(pages): State<Pages>,
    operator: Operator,
    request: Request,
) -> Result<Response, Response> {
    let secure = is_secure(request.headers());
    operator.form(request, FORM).await?;
    pages.sessions.end(&operator.csrf);
    Ok(led("", (0, secure), "/operador/entrar"))
}

/// Whether the browser came by TLS, to a proxy before this listener: every browser says
/// so in the forms that it sends.
fn is_secure(headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN);
    origin.is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

/// Leads to a page with the cookie set for some seconds, for TLS alone or not.
fn led(cookie: &str, (seconds, secure): (i64, bool), to: &str) -> Response {
    let secure = if secure { "; Secure" } else { "" };
    let line = format!(
        "{COOKIE}={cookie}; Path={HOME}; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"
    );
    let mut response = Redirect::to(to).into_response();
    if let Ok(line) = HeaderValue::from_str(&line) {
        response.headers_mut().insert(header::SET_COOKIE, line);
    }
    response
}
