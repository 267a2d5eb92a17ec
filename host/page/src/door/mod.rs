//! Coming in and going out: login, registration, invitations, logout.

mod confirm;
mod password;

pub use confirm::reminder;

use crate::Panel;
use crate::form::fields::{framed, needed};
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Knock, Setting};
use crate::frame::door;
use crate::parts::{marks, refused};
use crate::reply::Problem;
use crate::visitor::{Visitor, section, set_cookie, theme};
use accounts::users::login::{self, Login};
use accounts::users::registration::{self, Form, Registered};
use accounts::users::{session, team};
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use std::collections::BTreeMap;
use zeroize::Zeroizing;

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/entrar", get(login_page).post(login_sent))
        .route("/painel/cadastrar", get(register_page).post(register_sent))
        .route(
            "/painel/convite/{segredo}",
            get(invite_page).post(invite_sent),
        )
        .route("/painel/sair", post(logout))
        .route("/painel/tema", post(choose_theme))
        .route("/painel/mundo", post(world))
        .merge(password::router())
        .merge(confirm::router())
}

/// What a refused form names, by its fields.
type Named = [(&'static str, &'static str)];

/// A page below `/painel`, or the panel itself: never another site. A browser reads `%2e` of
/// an address as a point.
pub fn inside(path: &str) -> &str {
    let points = path.to_ascii_lowercase().replace("%2e", ".");
    let plain = path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
        && !points.contains("/.");
    if plain && (path == "/painel" || path.starts_with("/painel/") || path.starts_with("/painel?"))
    {
        path
    } else {
        "/painel"
    }
}

/// A redirect with the cookie of a session.
fn enter(panel: &Panel, cookie: &str, to: &str) -> Response {
    let mut response = Redirect::to(inside(to)).into_response();
    response
        .headers_mut()
        .insert(header::SET_COOKIE, set_cookie(panel, cookie));
    response
}

const ASKS_CODE: &str = "Informe também o código do seu autenticador, e a senha de novo.";
const TOO_MANY: &str = "Foram tentativas demais. Espere um minuto e tente de novo.";

/// What is wrong with a form: beside the fields it has, above it the rest.
fn beside(named: &Named, has: &[&str]) -> Wrongs {
    let mut wrong = Wrongs::default();
    for (field, sentence) in named {
        if has.contains(field) {
            wrong.add(field, sentence);
        } else {
            wrong.add_above(sentence);
        }
    }
    wrong
}

/// What a field of these pages is called.
fn label(name: &str) -> &'static str {
    match name {
        "nome" => "Seu nome",
        "conta" => "Nome da conta",
        "email" => "E-mail",
        "codigo" => "Código do autenticador",
        _ => "Senha",
    }
}

/// A field of a form that needs all of its fields, with what is wrong with it.
fn input(name: &str, hint: &str, attributes: (&str, &str, &str), wrong: &Wrongs) -> Markup {
    let control = control(name, hint, attributes, wrong);
    framed(wrong, "", name, label(name), hint, control)
}

/// A field that must be filled in beside others that may stay empty.
fn marked(name: &str, hint: &str, attributes: (&str, &str, &str), wrong: &Wrongs) -> Markup {
    let control = control(name, hint, attributes, wrong);
    needed(wrong, "", name, label(name), hint, control)
}

fn control(
    name: &str,
    hint: &str,
    (kind, value, autocomplete): (&str, &str, &str),
    wrong: &Wrongs,
) -> Markup {
    html! {
        input id=(name) name=(name) type=(kind) value=(value) autocomplete=(autocomplete) required
            aria-invalid=[wrong.invalid(name)] aria-describedby=[wrong.described(name, hint)] autofocus[wrong.focus(name)];
    }
}

async fn login_page(
    visitor: Option<Visitor>,
    State(panel): State<Panel>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let back = inside(query.get("volta").map_or("/painel", String::as_str)).to_owned();
    if visitor.is_some() {
        return Redirect::to(&back).into_response();
    }
    login_form(&panel, theme(&headers), &back, "", false, None).into_response()
}

fn login_form(
    panel: &Panel,
    theme: &str,
    back: &str,
    email: &str,
    code: bool,
    problem: Option<&str>,
) -> Markup {
    let none = Wrongs::default();
    door(
        "Entrar",
        theme,
        html! {
            @if let Some(sentence) = problem { (refused(sentence)) }
            form class="campos" method="post" action="/painel/entrar" {
                input type="hidden" name="volta" value=(back);
                (input("email", "", ("email", email, "username"), &none))
                (input("senha", "", ("password", "", "current-password"), &none))
                @if code { (code_input()) }
                button class="botao" { "Entrar" }
            }
            @if panel.app.config.mail.on() {
                p class="pequeno" { br; a href="/painel/senha" { "Esqueci a senha" } }
            }
            @if panel.app.config.panel.registration {
                p class="pequeno rodape" { "Ainda não tem conta? " a href="/painel/cadastrar" { "Cadastre-se" } }
            }
        },
    )
}

fn code_input() -> Markup {
    let hint = "Os seis números do seu aplicativo.";
    let attributes = ("text", "", "one-time-code");
    input("codigo", hint, attributes, &Wrongs::default())
}

async fn login_sent(State(panel): State<Panel>, knock: Knock) -> Result<Response, Problem> {
    let fields = &knock.fields;
    let email = fields.get("email");
    let password = Zeroizing::new(fields.raw("senha").to_owned());
    let came = login::login(
        &panel.app.people,
        email,
        &knock.ip,
        password,
        fields.get("codigo"),
    )
    .await?;
    let (status, code, sentence) = match came {
        Login::In { cookie, .. } => return Ok(enter(&panel, &cookie, fields.get("volta"))),
        Login::NeedsCode => (200, true, ASKS_CODE),
        Login::Wrong => (
            401,
            fields.on("codigo"),
            "E-mail, senha ou código não conferem.",
        ),
        Login::Slower => (429, false, TOO_MANY),
        Login::Nowhere => (
            403,
            false,
            "O seu cadastro não está em nenhuma conta. Peça um convite.",
        ),
    };
    let back = inside(fields.get("volta"));
    let page = login_form(&panel, knock.theme, back, email, code, Some(sentence));
    Ok((status_code(status), page).into_response())
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Registration is for those the operator lets in.
fn open(panel: &Panel) -> Result<(), Problem> {
    if panel.app.config.panel.registration {
        return Ok(());
    }
    let sentence = "Esta instalação não aceita cadastros; peça um convite a quem a opera.";
    Err(Problem::new(403, "Cadastro fechado", sentence))
}

async fn register_page(State(panel): State<Panel>, headers: HeaderMap) -> Result<Markup, Problem> {
    open(&panel)?;
    Ok(register_form(
        theme(&headers),
        &Fields::default(),
        &Wrongs::default(),
        None,
    ))
}

fn register_form(theme: &str, fields: &Fields, wrong: &Wrongs, problem: Option<&str>) -> Markup {
    let hint = "Em geral, o da empresa. Pode ficar vazio.";
    door(
        "Criar conta",
        theme,
        html! {
            p class="suave" { "A conta nasce com créditos de presente e, para programas, uma chave de teste e uma de produção. Enquanto não houver certificado, nada é cobrado para experimentar." }
            @if let Some(sentence) = problem { (refused(sentence)) }
            (wrong.above(Some(label)))
            (marks())
            form class="campos" method="post" action="/painel/cadastrar" {
                (marked("nome", "", ("text", fields.get("nome"), "name"), wrong))
                (framed(wrong, "", "conta", label("conta"), hint, html! {
                    input id="conta" name="conta" type="text" value=(fields.get("conta")) autocomplete="organization" maxlength="100"
                        aria-invalid=[wrong.invalid("conta")] aria-describedby=[wrong.described("conta", hint)] autofocus[wrong.focus("conta")];
                }))
                (marked("email", "", ("email", fields.get("email"), "username"), wrong))
                (marked("senha", "Pelo menos 10 caracteres; uma frase serve.", ("password", "", "new-password"), wrong))
                button class="botao" { "Criar conta" }
            }
            p class="pequeno rodape" { "Já tem conta? " a href="/painel/entrar" { "Entrar" } }
        },
    )
}

async fn register_sent(State(panel): State<Panel>, knock: Knock) -> Result<Response, Problem> {
    open(&panel)?;
    let fields = &knock.fields;
    let form = Form {
        name: fields.get("nome").to_owned(),
        email: fields.get("email").to_owned(),
        password: Zeroizing::new(fields.raw("senha").to_owned()),
        conta: fields.get("conta").to_owned(),
    };
    match registration::register(&panel.app.people, &knock.ip, form).await? {
        Registered::Done { user, account } => {
            let cookie = session::begin(&panel.app, &user.id, &account.id).await?;
            Ok(enter(&panel, &cookie, "/painel?bem-vindo=1"))
        }
        Registered::Wrong(named) => {
            let wrong = beside(&named, &["nome", "conta", "email", "senha"]);
            let page = register_form(knock.theme, fields, &wrong, None);
            Ok((status_code(422), page).into_response())
        }
        Registered::Slower => {
            let sentence = "Foram cadastros demais deste endereço. Tente mais tarde.";
            let page = register_form(knock.theme, fields, &Wrongs::default(), Some(sentence));
            Ok((status_code(429), page).into_response())
        }
    }
}

async fn invite_page(
    State(panel): State<Panel>,
    Path(segredo): Path<String>,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let invite = invitation(&panel, &segredo).await?;
    Ok(invite_form(
        theme(&headers),
        (&invite.email, &segredo),
        &Fields::default(),
        &Wrongs::default(),
        (false, None),
    ))
}

async fn invitation(
    panel: &Panel,
    segredo: &str,
) -> Result<store::tables::users::InviteRow, Problem> {
    let invite = team::invitation(&panel.app.people, segredo).await?;
    invite.ok_or_else(|| {
        let sentence = "O convite venceu ou já foi usado. Peça outro a quem convidou você.";
        Problem::new(404, "Convite não encontrado", sentence)
    })
}

fn invite_form(
    theme: &str,
    (email, segredo): (&str, &str),
    fields: &Fields,
    wrong: &Wrongs,
    (code, problem): (bool, Option<&str>),
) -> Markup {
    door(
        "Aceitar convite",
        theme,
        html! {
            p { "Convite para " strong { (email) } ". Se você já tem cadastro, use a sua senha; se não, escolha uma." }
            @if let Some(sentence) = problem { (refused(sentence)) }
            (wrong.above(Some(label)))
            form class="campos" method="post" action=(format!("/painel/convite/{segredo}")) {
                (input("nome", "", ("text", fields.get("nome"), "name"), wrong))
                (input("senha", "", ("password", "", "current-password"), wrong))
                @if code { (code_input()) }
                button class="botao" { "Entrar na conta" }
            }
        },
    )
}

async fn invite_sent(
    State(panel): State<Panel>,
    Path(segredo): Path<String>,
    knock: Knock,
) -> Result<Response, Problem> {
    let invite = invitation(&panel, &segredo).await?;
    let (email, account) = (invite.email.clone(), invite.account_id.clone());
    let password = Zeroizing::new(knock.fields.raw("senha").to_owned());
    let answer = team::Answer {
        ip: &knock.ip,
        name: knock.fields.get("nome"),
        password,
        codigo: knock.fields.get("codigo"),
    };
    let code = knock.fields.on("codigo");
    let (status, wrong, asks) = match team::accept(&panel.app.people, invite, answer).await? {
        team::Accepted::In(user) => {
            let cookie = session::begin(&panel.app, &user.id, &account).await?;
            return Ok(enter(&panel, &cookie, "/painel"));
        }
        team::Accepted::Wrong(named) => (422, beside(&named, &["nome", "senha"]), (code, None)),
        team::Accepted::NeedsCode => (200, Wrongs::default(), (true, Some(ASKS_CODE))),
        team::Accepted::Slower => (429, Wrongs::default(), (code, Some(TOO_MANY))),
    };
    let names = (email.as_str(), segredo.as_str());
    let page = invite_form(knock.theme, names, &knock.fields, &wrong, asks);
    Ok((status_code(status), page).into_response())
}

async fn logout(Setting(sent): Setting) -> Result<Response, Problem> {
    session::end(&sent.visitor.panel.app, &sent.visitor.session).await?;
    Ok(enter(&sent.visitor.panel, "", "/painel/entrar"))
}

async fn choose_theme(Setting(sent): Setting) -> Response {
    let chosen = match sent.fields.get("tema") {
        "escuro" => "tema=escuro; Path=/painel; SameSite=Lax; HttpOnly; Max-Age=31536000",
        _ => "tema=claro; Path=/painel; SameSite=Lax; HttpOnly; Max-Age=31536000",
    };
    let mut response = Redirect::to(inside(sent.fields.get("volta"))).into_response();
    response
        .headers_mut()
        .insert(header::SET_COOKIE, HeaderValue::from_static(chosen));
    response
}

/// Turns the pages to the live or to the test world, as every form turns them
/// to its own.
async fn world(Setting(sent): Setting) -> Result<Response, Problem> {
    // What was shown belongs to the other world.
    let page = inside(sent.fields.get("volta"))
        .split('?')
        .next()
        .unwrap_or("/painel");
    Ok(Redirect::to(&section(page)).into_response())
}
