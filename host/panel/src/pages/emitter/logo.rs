//! The logo of a company, which is printed on its documents. The API looks only at how the
//! file begins, and a document whose logo cannot be drawn is printed without it; here only
//! pictures are taken that the printing reads, so that people learn of it.

use super::company::{Company, page_of};
use super::inputs::{LOGO, LOGO_FILE};
use super::{profile, put_profile, refused, wrong};
use crate::Panel;
use crate::form::Sent;
use crate::form::fields::needed;
use crate::form::wrong::Wrongs;
use crate::parts::{alert, done, hidden, marks};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use issuing::emitters::profile::MAX_LOGO_CHARS;
use maud::{Markup, html};
use prints::pdf::image;
use serde_json::Value;

/// Largest file: in Base64 it is as long as the API takes.
const MAX_BYTES: usize = MAX_LOGO_CHARS / 4 * 3;
const HINT: &str = "Até 300 KB; um PNG, até 1 milhão de pontos. Fundo branco ou transparente; 600 por 400 pontos já bastam.";
const TOO_LARGE: &str =
    "O arquivo passa de 300 KB. Salve a imagem menor, com menos pontos, ou como JPEG.";

const TOO_MANY: &str = "A imagem é um PNG de mais de 1 milhão de pontos (largura vezes altura). Reduza-a: 600 por 400 pontos já bastam para a impressão.";

/// What the page of a company is told after a change.
pub const STORED: &str = "logotipo";
pub const REMOVED: &str = "logotipo_removido";

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/emitentes/{id}/logotipo", post(store))
        .route("/painel/emitentes/{id}/logotipo/remover", post(remove))
}

/// The logo of a company, the form that sends another and the one that removes it.
pub fn card(visitor: &Visitor, company: &Company, wrong: &Wrongs) -> Markup {
    let stored = of(company);
    let path = format!("{}/logotipo", page_of(&company.record));
    html! {
        section class="cartao" id="cartao-logotipo" {
            h2 { "Logotipo" }
            p class="suave" { "Sai impresso no DANFE da NF-e e da NFC-e, no DACTE e no DAMDFE. A NFS-e tem um modelo nacional, sem logotipo." }
            @if !stored.is_empty() {
                @match media(stored) {
                    Some(media) => { p { img class="logotipo" src=(format!("data:{media};base64,{stored}")) alt="Logotipo salvo"; } }
                    None => { (alert("O logotipo salvo não é uma imagem PNG nem JPEG. Envie outro, ou remova este.")) }
                }
            }
            (marks())
            form class="campos" method="post" action=(path) enctype="multipart/form-data" {
                (hidden(visitor))
                input type="hidden" name="versao" value=(company.etag);
                (needed(wrong, "", LOGO, LOGO_FILE, HINT, html! { input id=(LOGO) name=(LOGO) type="file" accept=".png,.jpg,.jpeg,image/png,image/jpeg" required aria-invalid=[wrong.invalid(LOGO)] aria-describedby=[wrong.described(LOGO, HINT)] autofocus[wrong.focus(LOGO)]; }))
                div class="acoes" {
                    button class="botao" { "Salvar logotipo" }
                    @if !stored.is_empty() { button class="botao perigo" formaction=(format!("{path}/remover")) formnovalidate { "Remover logotipo" } }
                }
            }
        }
    }
}

/// Above the page of a company whose logo was changed.
pub fn changed(company: &Company) -> Markup {
    html! {
        @if of(company).is_empty() { (done("Logotipo removido: as notas saem sem ele.")) }
        @else { (done("Logotipo salvo: ele sai nos documentos impressos a partir de agora.")) }
    }
}

/// The logo that is stored, in Base64; empty: there is none.
fn of(company: &Company) -> &str {
    text(&company.record["perfil_fiscal"], "logo_base64")
}

/// What kind of picture a Base64 text begins as.
fn media(stored: &str) -> Option<&'static str> {
    if stored.starts_with("iVBORw0KGgo") {
        Some("image/png")
    } else if stored.starts_with("/9j/") {
        Some("image/jpeg")
    } else {
        None
    }
}

/// What is wrong with a file; None where it can be printed.
async fn judged(file: &[u8]) -> Result<Option<&'static str>, Problem> {
    if file.is_empty() {
        return Ok(Some("Escolha o arquivo da imagem."));
    }
    if file.len() > MAX_BYTES {
        return Ok(Some(TOO_LARGE));
    }
    if !file.starts_with(b"\x89PNG\r\n\x1a\n") && !file.starts_with(&[0xFF, 0xD8, 0xFF]) {
        return Ok(Some(
            "O arquivo não é uma imagem PNG nem JPEG. Abra-o num editor de imagens e salve como PNG ou JPEG.",
        ));
    }
    if image::is_large_png(file) {
        return Ok(Some(TOO_MANY));
    }
    // A million pixels take a while to unpack.
    let file = file.to_vec();
    let read = tokio::task::spawn_blocking(move || image::read(&file).is_some()).await;
    let drawn = read.map_err(anyhow::Error::from)?;
    Ok((!drawn).then_some(
        "Esta imagem não pode ser impressa: está danificada, é um PNG entrelaçado ou um JPEG de mais de 4 milhões de pontos. Salve-a de novo como PNG comum ou JPEG.",
    ))
}

/// `visitor`: for the page where the form is too large to be read.
async fn store(
    visitor: Visitor,
    Path(id): Path<String>,
    sent: Result<Sent, Response>,
) -> Result<Response, Problem> {
    let sent = match sent {
        Ok(sent) => sent,
        Err(unread) if unread.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            let company = Company::read(&visitor, &id).await?;
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return Ok(refused(&visitor, &company, said(TOO_LARGE), status));
        }
        Err(unread) => return Ok(unread),
    };
    sent.visitor.must(Action::Emitters)?;
    let company = Company::read(&sent.visitor, &id).await?;
    let file = sent.fields.file(LOGO);
    if let Some(sentence) = judged(file).await? {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(refused(&sent.visitor, &company, said(sentence), status));
    }
    let logo = STANDARD.encode(file);
    change(&sent, &company, Some(logo.into()), STORED).await
}

async fn remove(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    sent.visitor.must(Action::Emitters)?;
    let company = Company::read(&sent.visitor, &id).await?;
    if of(&company).is_empty() {
        let to = format!("{}?feito={REMOVED}", page_of(&company.record));
        return Ok(Redirect::to(&to).into_response());
    }
    change(&sent, &company, None, REMOVED).await
}

fn said(sentence: &str) -> Wrongs {
    let mut wrong = Wrongs::default();
    wrong.add(LOGO, sentence);
    wrong
}

/// Stores a logo, or none. `what`: for the audit and the page that follows.
async fn change(
    sent: &Sent,
    company: &Company,
    logo: Option<Value>,
    what: &str,
) -> Result<Response, Problem> {
    let id = text(&company.record, "id");
    let mut changed = company.record["perfil_fiscal"].clone();
    profile::set(&mut changed, "/logo_base64", logo);
    let reply = put_profile(sent, id, &changed).await?;
    if !reply.ok() {
        let wrong = wrong::of(&reply, |name| name == LOGO);
        let status = wrong::status(&reply);
        return Ok(refused(&sent.visitor, company, wrong, status));
    }
    let note = format!("emitente.{what}");
    sent.visitor.note(&note, id, "").await?;
    let to = format!("{}?feito={what}", page_of(&company.record));
    Ok(Redirect::to(&to).into_response())
}
