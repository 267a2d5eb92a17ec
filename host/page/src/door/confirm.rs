//! Confirming an address: the page of the link, and asking for another.

use crate::Panel;
use crate::form::{Knock, Sent};
use crate::frame::door;
use crate::parts::{done, hidden};
use crate::reply::Problem;
use crate::visitor::{Visitor, theme};
use accounts::users::confirmation;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/confirmar", post(again))
        .route("/painel/confirmar/{link}", get(page).post(sent))
}

async fn whose(panel: &Panel, link: &str) -> Result<store::tables::users::UserRow, Problem> {
    let sentence = "Peça outro no painel.";
    let user = confirmation::whose(&panel.app, link).await?;
    user.ok_or_else(|| Problem::new(404, "Link não encontrado", sentence))
}

/// A button: programs that look into mail open its links, too.
async fn page(
    State(panel): State<Panel>,
    Path(link): Path<String>,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let user = whose(&panel, &link).await?;
    Ok(door(
        "Confirmar o e-mail",
        theme(&headers),
        html! {
            p { strong { (user.email) } " é o seu endereço?" }
            form class="campos" method="post" action=(format!("/painel/confirmar/{link}")) {
                button class="botao" { "Confirmar" }
            }
        },
    ))
}

async fn sent(
    State(panel): State<Panel>,
    Path(link): Path<String>,
    knock: Knock,
) -> Result<Markup, Problem> {
    let user = whose(&panel, &link).await?;
    confirmation::reached(&panel.app, &user).await?;
    Ok(door(
        "E-mail confirmado",
        knock.theme,
        html! {
            (done("O seu e-mail foi confirmado. A conta já pode enviar notas por e-mail."))
            p { a class="botao" href="/painel" { "Ir ao painel" } }
        },
    ))
}

async fn again(sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    let app = &visitor.panel.app;
    if app.config.mail.on() && visitor.session.user.email_ms == 0 {
        let account = &visitor.session.row.account_id;
        confirmation::ask(app, &visitor.session.user, account).await?;
    }
    Ok(Redirect::to("/painel?confirmacao=1").into_response())
}

/// What a person sees whose address was not confirmed yet.
pub fn reminder(visitor: &Visitor) -> Markup {
    let missing = visitor.panel.app.config.mail.on() && visitor.session.user.email_ms == 0;
    html! {
        @if missing {
            div class="aviso-caixa aviso" role="status" {
                p { "Confirme o seu e-mail pelo link que enviamos a " strong { (visitor.session.user.email) } ". Até lá a conta não envia notas nem convites por e-mail." }
                form method="post" action="/painel/confirmar" {
                    (hidden(visitor))
                    button class="botao secundario" { "Enviar outro link" }
                }
            }
        }
    }
}
