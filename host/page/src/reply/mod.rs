//! Pages that say that something is not possible, and answers of operations as
//! pages show them: in sentences for people, without what only programs need.

pub mod plain;
pub mod words;

use self::plain::plain;
use super::frame::{self, error_box};
use api::inside::Reply;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use base::errors::Failure;
use maud::{Markup, html};
use serde_json::Value;

/// A page instead of the one that was asked for.
pub struct Problem {
    status: u16,
    title: String,
    sentence: String,
    /// Where the page leads, by its mark and by a link.
    home: &'static str,
    back: Box<str>,
    /// What that link says.
    back_words: &'static str,
    /// Where the browser is sent instead.
    to: Option<Box<str>>,
}

impl Problem {
    pub fn new(status: u16, title: &str, sentence: &str) -> Problem {
        Problem {
            status,
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            home: frame::PANEL,
            back: frame::PANEL.into(),
            back_words: "Voltar ao painel",
            to: None,
        }
    }

    /// Redirects to the address where the page is.
    pub fn elsewhere(to: String) -> Problem {
        Problem {
            to: Some(to.into()),
            ..Problem::new(303, "", "")
        }
    }

    /// With a link back to a page.
    #[must_use]
    pub fn back(mut self, page: &str) -> Problem {
        self.back = page.into();
        self
    }

    /// With a link to a page, in these words.
    #[must_use]
    pub fn leading(mut self, page: &str, words: &'static str) -> Problem {
        self.back_words = words;
        self.back(page)
    }

    /// Of pages that begin there, and not at the panel's overview.
    #[must_use]
    pub fn within(mut self, home: &'static str) -> Problem {
        self.home = home;
        self.back(home)
    }

    /// What an operation answered instead of what the page needs.
    pub fn of(reply: &Reply) -> Problem {
        let (what, advice) = told(&reply.json(), reply.status);
        Problem::new(reply.status, &what, &advice)
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Problem {
        tracing::error!(error = %format!("{error:#}"), "a page of the panel failed");
        Problem::new(
            500,
            "Erro interno",
            "Tente de novo; se continuar, avise o suporte.",
        )
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        Problem::from(anyhow::anyhow!("{failure:?}"))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if let Some(to) = &self.to {
            return Redirect::to(to).into_response();
        }
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let page = frame::door_of(
            self.home,
            &self.title,
            "",
            html! {
                @if !self.sentence.is_empty() { p { (self.sentence) } }
                p { a href=(self.back) { (self.back_words) } }
            },
        );
        (status, page).into_response()
    }
}

/// What an operation refused, above the form that asked.
pub fn refusal(reply: &Reply) -> Markup {
    let body = reply.json();
    let fields = body["campos"].as_array().cloned().unwrap_or_default();
    let (what, advice) = told(&body, reply.status);
    error_box(
        true,
        html! {
            p { strong { (what) } " " (advice) }
            @if !fields.is_empty() {
                ul {
                    @for field in &fields { (wrong_with(field)) }
                }
            }
            @for rejection in body["rejeicao"].as_array().into_iter().flatten().chain(Some(&body["rejeicao"]).filter(|one| one.is_object())) {
                @if let Some(why) = refused_for(rejection) { p { (why) } }
            }
            p class="pequeno" { "Código para o suporte: " code { (text(&body, "request_id")) } }
        },
    )
}

/// What is wrong, and what to do, of a refusal.
fn told(body: &Value, status: u16) -> (String, String) {
    let message = text(body, "mensagem");
    // It has the reason that an operator wrote, for people: it is shown as it was written.
    let blocked = text(body, "codigo") == "conta_bloqueada";
    let what = if blocked {
        message.to_owned()
    } else {
        plain::wrong(message).unwrap_or_else(|| "O pedido não foi aceito.".to_owned())
    };
    let advice = plain(text(body, "dica")).unwrap_or_else(|| {
        let advice = match status {
            402 => "Compre créditos para continuar.",
            429 | 502..=504 => "Tente de novo daqui a alguns minutos.",
            500.. => "Tente de novo; se continuar, avise o suporte.",
            _ => "",
        };
        advice.to_owned()
    });
    (what, advice)
}

/// What is wrong with a member of a request, by the last name of its path.
fn wrong_with(field: &Value) -> Markup {
    let path = text(field, "campo");
    let name = path.rsplit('.').next().unwrap_or_default();
    let name = name.split('[').next().unwrap_or_default();
    let said = [
        plain::wrong(text(field, "mensagem")),
        plain(text(field, "correcao")),
    ];
    let said = joined(said.iter().flatten().map(String::as_str));
    html! {
        li {
            @if !name.is_empty() { strong { (words::label(name)) } ": " }
            @if said.is_empty() { "Confira o que foi preenchido." } @else { (said) }
        }
    }
}

/// Why an authority refused, as it said it; a code alone is no sentence, and gets one.
/// None where it said nothing.
pub fn refused_for(rejection: &Value) -> Option<String> {
    let code = text(rejection, "codigo");
    let reason = match (code, text(rejection, "motivo")) {
        ("", "") => return None,
        (code, "") => format!("A autoridade recusou com o código {code}, sem dizer o motivo."),
        (code, reason) => format!("{code} {reason}").trim().to_owned(),
    };
    let remedy = plain(text(rejection, "correcao")).unwrap_or_default();
    Some(joined([reason.as_str(), remedy.as_str()]))
}

/// Sentences one after the other. One that the authority ended without a period gets it.
pub fn joined<'s>(sentences: impl IntoIterator<Item = &'s str>) -> String {
    let mut said = String::new();
    for sentence in sentences.into_iter().map(str::trim) {
        if !said.is_empty() && !sentence.is_empty() {
            let over = said.ends_with(['.', '!', '?', ':', ';']);
            said.push_str(if over { " " } else { ". " });
        }
        said.push_str(sentence);
    }
    said
}

/// Media type of a CSV.
pub const CSV: &str = "text/csv; charset=utf-8";

/// A file as browsers save it.
pub fn attached(media: &'static str, name: &str, body: impl IntoResponse) -> Response {
    let place = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, media.to_owned()),
        (header::CONTENT_DISPOSITION, place),
    ];
    (headers, body).into_response()
}

/// Status of a page that shows a refusal: what failed on our side stays a
/// failure, so that nobody takes it for a refused form.
pub fn status_of(reply: &Reply) -> StatusCode {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if status.is_server_error() {
        status
    } else {
        StatusCode::OK
    }
}

/// A member as text; empty when it is no text.
pub fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}
