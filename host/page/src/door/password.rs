//! A forgotten password: asking for a link by mail, and choosing another.

use crate::Panel;
use crate::form::Knock;
use crate::form::fields::framed;
use crate::form::wrong::Wrongs;
use crate::frame::door;
use crate::parts::{done, field, refused};
use crate::reply::Problem;
use crate::visitor::theme;
use accounts::users::recovery::{self, Set};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use zeroize::Zeroizing;

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/senha", get(ask_page).post(ask_sent))
        .route("/painel/senha/{link}", get(choose_page).post(choose_sent))
}

async fn ask_page(State(panel): State<Panel>, headers: HeaderMap) -> Result<Markup, Problem> {
    offered(&panel)?;
    Ok(ask_form(theme(&headers), html! {}))
}

/// Without mail there is no link to send.
fn offered(panel: &Panel) -> Result<(), Problem> {
    if panel.app.config.mail.on() {
        return Ok(());
    }
    let sentence = "Esta instalação não envia e-mails; peça uma senha nova a quem a opera.";
    Err(Problem::new(404, "Página não encontrada", sentence))
}

fn ask_form(theme: &str, note: Markup) -> Markup {
    door(
        "Esqueci a senha",
        theme,
        html! {
            (note)
            p class="suave" { "Informe o e-mail do seu cadastro; enviaremos um link para escolher outra senha." }
            form class="campos" method="post" action="/painel/senha" {
                (field("email", "E-mail", "", html! { input id="email" name="email" type="email" autocomplete="username" required; }))
                button class="botao" { "Enviar o link" }
            }
            p class="pequeno" { br; a href="/painel/entrar" { "Voltar" } }
        },
    )
}

async fn ask_sent(State(panel): State<Panel>, knock: Knock) -> Result<Response, Problem> {
    offered(&panel)?;
    let asked = recovery::ask(&panel.app.people, &knock.ip, knock.fields.get("email")).await?;
    let (status, note) = if asked {
        let sentence =
            "Se houver um cadastro com este e-mail, o link está a caminho. Ele vale por uma hora.";
        (StatusCode::OK, done(sentence))
    } else {
        let sentence = "Foram pedidos demais deste endereço. Tente mais tarde.";
        (StatusCode::TOO_MANY_REQUESTS, refused(sentence))
    };
    Ok((status, ask_form(knock.theme, note)).into_response())
}

async fn choose_page(
    State(panel): State<Panel>,
    Path(link): Path<String>,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let user = whose(&panel, &link).await?;
    let wrong = Wrongs::default();
    Ok(choose_form(theme(&headers), &user.email, &link, &wrong))
}

async fn whose(panel: &Panel, link: &str) -> Result<store::tables::users::UserRow, Problem> {
    recovery::whose(&panel.app.people, link)
        .await?
        .ok_or_else(gone)
}

fn gone() -> Problem {
    let sentence = "O link venceu ou já foi usado. Peça outro em Entrar.";
    Problem::new(404, "Link não encontrado", sentence)
}

fn choose_form(theme: &str, email: &str, link: &str, wrong: &Wrongs) -> Markup {
    let hint = "Pelo menos 10 caracteres; uma frase serve.";
    door(
        "Senha nova",
        theme,
        html! {
            (wrong.above(Some(|_| "Senha nova")))
            form class="campos" method="post" action=(format!("/painel/senha/{link}")) {
                input type="hidden" name="usuario" value=(email) autocomplete="username";
                (framed(wrong, "", "senha", "Senha nova", hint, html! {
                    input id="senha" name="senha" type="password" autocomplete="new-password" required
                        aria-invalid=[wrong.invalid("senha")] aria-describedby=[wrong.described("senha", hint)] autofocus[wrong.focus("senha")];
                }))
                button class="botao" { "Trocar a senha" }
            }
        },
    )
}

async fn choose_sent(
    State(panel): State<Panel>,
    Path(link): Path<String>,
    knock: Knock,
) -> Result<Response, Problem> {
    let user = whose(&panel, &link).await?;
    let email = user.email.clone();
    let password = Zeroizing::new(knock.fields.raw("senha").to_owned());
    match recovery::set(&panel.app.people, &knock.ip, user, password).await? {
        Set::Done => Ok(door(
            "Senha trocada",
            knock.theme,
            html! {
                (done("A sua senha foi trocada e as sessões abertas terminaram."))
                p { a class="botao" href="/painel/entrar" { "Entrar" } }
            },
        )
        .into_response()),
        Set::Weak(sentence) => {
            let mut wrong = Wrongs::default();
            wrong.add("senha", sentence);
            let page = choose_form(knock.theme, &email, &link, &wrong);
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
        Set::Gone => Err(gone()),
    }
}
