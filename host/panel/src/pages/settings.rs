//! The person's own settings: password and second factor; and the account's
//! limits.

use crate::Panel;
use crate::form::Sent;
use crate::layout::page;
use crate::once::led;
use crate::parts::{alert, copy, done, field, hidden, qr, size, took, top, whole};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::users::login::{self, Proof};
use accounts::users::totp;
use axum::Router;
use axum::extract::Query;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::convert::Infallible;
use store::TxError;
use store::tables::{sessions, users};
use zeroize::Zeroizing;

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/configuracoes", get(show))
        .route("/painel/configuracoes/senha", post(password))
        .route("/painel/configuracoes/autenticador", post(authenticator))
}

async fn show(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = if query.contains_key("senha") {
        done("Senha trocada.")
    } else {
        html! {}
    };
    shown(&visitor, note, None).await
}

/// `secret`: of a second factor that is being set up.
async fn shown(visitor: &Visitor, note: Markup, secret: Option<&[u8]>) -> Result<Markup, Problem> {
    let account = visitor.get("/api/v1/conta").await?;
    let user = &visitor.session.user;
    let limits = &account["limites"];
    let number = |name: &str| whole(limits[name].as_i64().unwrap_or(0));
    let bytes = |name: &str| size(limits[name].as_i64().unwrap_or(0));
    Ok(page(
        visitor,
        "/painel/configuracoes",
        "Configurações",
        html! {
            (top("Configurações", "A sua senha, o seu autenticador e os limites da conta.", html! {}))
            (note)
            div class="grade larga" {
                section class="cartao" {
                    h2 { "Senha" }
                    form class="campos" method="post" action="/painel/configuracoes/senha" {
                        (hidden(visitor))
                        input type="hidden" name="usuario" value=(user.email) autocomplete="username";
                        (field("atual", "Senha atual", "", html! { input id="atual" name="atual" type="password" autocomplete="current-password" required; }))
                        (field("nova", "Senha nova", "Pelo menos 10 caracteres. As outras sessões terminam.", html! { input id="nova" name="nova" type="password" autocomplete="new-password" required aria-describedby="nova-dica"; }))
                        @if !user.totp.is_empty() { (code("codigo-senha")) }
                        div { button class="botao" { "Trocar a senha" } }
                    }
                }
                section class="cartao" {
                    h2 { "Autenticador" }
                    (second_factor(visitor, secret))
                }
                section class="cartao" {
                    h2 { "Conta" }
                    dl class="fatos" {
                        dt { "Nome" } dd { (text(&account, "nome")) }
                        dt { "Identificador" } dd class="mono" { (text(&account, "id")) }
                        dt { "Requisições por minuto" } dd { (number("requisicoes_por_minuto")) }
                        dt { "Espera por resultado" } dd { (took(limits["espera_ms"].as_i64().unwrap_or(0))) }
                        dt { "Corpo JSON" } dd { "até " (bytes("json_bytes")) }
                        dt { "Arquivos" } dd { "até " (bytes("arquivos_bytes")) }
                    }
                }
            }
        },
    ))
}

/// The code of the second factor; `id` tells two on one page apart.
fn code(id: &str) -> Markup {
    field(
        id,
        "Código",
        "Seis números do autenticador.",
        html! { input id=(id) name="codigo" inputmode="numeric" autocomplete="one-time-code" required; },
    )
}

fn second_factor(visitor: &Visitor, secret: Option<&[u8]>) -> Markup {
    let user = &visitor.session.user;
    let password = html! {
        (field("senha", "Sua senha", "", html! { input id="senha" name="senha" type="password" autocomplete="current-password" required; }))
    };
    html! {
        @if let Some(secret) = secret {
            p { "Leia este código com o aplicativo autenticador, ou digite a chave, e informe os seis números que ele mostrar." }
            (qr(&totp::uri(secret, &user.email), "QR Code do autenticador"))
            (copy("chave-totp", &totp::base32(secret)))
            form class="campos" method="post" action="/painel/configuracoes/autenticador" {
                (hidden(visitor))
                input type="hidden" name="acao" value="ligar";
                input type="hidden" name="chave" value=(*totp::base32(secret));
                (password) (code("codigo"))
                div { button class="botao" { "Ligar" } }
            }
        } @else if user.totp.is_empty() {
            p { "Peça um código do celular além da senha a cada entrada." }
            form class="campos" method="post" action="/painel/configuracoes/autenticador" {
                (hidden(visitor)) input type="hidden" name="acao" value="preparar";
                div { button class="botao secundario" { "Configurar" } }
            }
        } @else {
            p { span class="selo ok" { "ligado" } }
            form class="campos" method="post" action="/painel/configuracoes/autenticador" {
                (hidden(visitor)) input type="hidden" name="acao" value="desligar";
                (password) (code("codigo"))
                div { button class="botao perigo" { "Desligar" } }
            }
        }
    }
}

/// Proves the person again, no faster than at the login: a session that was
/// left open must not become a place to guess in. The sentence says what is
/// missing.
async fn proven(
    visitor: &Visitor,
    password: &str,
    codigo: &str,
) -> Result<Option<&'static str>, Problem> {
    let app = &visitor.panel.app;
    let email = &visitor.session.user.email;
    let password = Zeroizing::new(password.to_owned());
    Ok(
        match login::prove(&app.people, email, &visitor.ip, password, codigo).await? {
            Proof::Person(_) => None,
            Proof::Wrong => Some("A senha, ou o código, não confere."),
            Proof::NeedsCode => Some("Informe também o código do seu autenticador."),
            Proof::Slower => Some("Foram tentativas demais. Espere um minuto e tente de novo."),
        },
    )
}

async fn password(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    let app = &visitor.panel.app;
    let user = &visitor.session.user;
    let mut wrong = accounts::people::password::weakness(fields.raw("nova"), &user.email);
    if wrong.is_none() {
        wrong = proven(visitor, fields.raw("atual"), fields.get("codigo")).await?;
    }
    if let Some(sentence) = wrong {
        return Ok(shown(visitor, alert(sentence), None).await?.into_response());
    }
    let hash = app
        .people
        .hasher
        .hash(Zeroizing::new(fields.raw("nova").to_owned()))
        .await?;
    let input = (
        user.id.clone(),
        hash,
        visitor.session.row.digest.clone(),
        app.now_ms(),
    );
    let written = app.db.write(input, |(id, hash, session, now_ms), conn| {
        Box::pin(async move {
            users::set_password(conn, id, hash, *now_ms).await?;
            Ok::<_, TxError<Infallible>>(sessions::delete_others(conn, id, session).await?)
        })
    });
    written.await.map_err(anyhow::Error::from)?;
    visitor.note("pessoa.senha", &user.id, "").await?;
    let page = shown(visitor, done("Senha trocada."), None).await?;
    Ok(led(page, "/painel/configuracoes?senha=1"))
}

async fn authenticator(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    let app = &visitor.panel.app;
    let user = &visitor.session.user;
    if fields.get("acao") == "preparar" {
        let secret = totp::new_secret()?;
        return Ok(shown(visitor, html! {}, Some(&secret))
            .await?
            .into_response());
    }
    let on = fields.get("acao") == "ligar";
    let secret = if on {
        totp::from_base32(fields.get("chave"))
    } else {
        None
    };
    // What turns it on is proven by a code of the new secret, below.
    let code = if on { "" } else { fields.get("codigo") };
    if let Some(sentence) = proven(visitor, fields.raw("senha"), code).await? {
        let secret = secret.as_ref().map(|secret| secret.as_slice());
        let page = shown(visitor, alert(sentence), secret).await?;
        return Ok(page.into_response());
    }
    let (sealed, step) = match (&secret, on) {
        (Some(secret), true) => {
            let Some(step) = totp::step_of(secret, fields.get("codigo"), app.now_ms(), 0) else {
                let page = shown(visitor, alert("O código não confere."), Some(secret)).await?;
                return Ok(page.into_response());
            };
            let sealed = app
                .keyring
                .seal(secret, &totp::aad(&user.id))
                .map_err(anyhow::Error::from)?;
            (sealed, step)
        }
        (None, true) => {
            return Ok(shown(visitor, alert("Comece de novo."), None)
                .await?
                .into_response());
        }
        (_, false) => (Vec::new(), 0),
    };
    let input = (user.id.clone(), sealed, step, app.now_ms());
    let written = app.db.write(input, |(id, sealed, step, now_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(users::set_totp(conn, id, sealed, *step, *now_ms).await?)
        })
    });
    written.await.map_err(anyhow::Error::from)?;
    visitor
        .note(
            if on {
                "pessoa.autenticador_ligado"
            } else {
                "pessoa.autenticador_desligado"
            },
            &user.id,
            "",
        )
        .await?;
    Ok(axum::response::Redirect::to("/painel/configuracoes").into_response())
}
