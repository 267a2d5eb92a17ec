//! One company: its data, its certificate, its logo and its environment.

mod certificate;
pub mod company;
pub mod facts;
pub mod inputs;
mod login;
mod logo;
pub mod place;
pub mod profile;
mod regime;
pub mod registration;
pub mod wrong;

use self::company::{Company, address, choice_of, page_of};
use self::facts::facts;
use crate::Panel;
use crate::form::fields::{choice, framed};
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::pages::filling::{self, Filled};
use crate::parts::{alert, done, encoded, hidden, top};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use api::inside::Reply;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the page is told after the taxation was changed with the regime.
const RENEWED: &str = "regime";
/// Hint of a field.
const VALUE: &str = "Em produção as notas têm valor fiscal.";

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/emitentes/{id}", get(show))
        .route("/painel/emitentes/{id}/certificado", post(replace))
        .route("/painel/emitentes/{id}/perfil", post(save))
        .route("/painel/emitentes/{id}/ambiente", post(environment))
        .merge(certificate::router())
        .merge(logo::router())
}

async fn show(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let company = Company::read(&visitor, &id).await?;
    let note = match query.get("feito").map(String::as_str) {
        Some("certificado") => stored(&company.record),
        Some(certificate::REMOVED) => certificate::removed(&company.record),
        Some("ambiente") => done("Ambiente mudado."),
        Some("perfil") => done("Dados da empresa salvos."),
        Some(RENEWED) => done(
            "Dados da empresa salvos. A tributação dos produtos, que estava como a de uma venda comum no regime anterior, passou a ser a de uma venda comum no regime novo: confira-a em Tributação dos produtos.",
        ),
        Some(logo::STORED | logo::REMOVED) => logo::changed(&company),
        _ => html! {},
    };
    Ok(shown(&visitor, &company, &Filled::default(), note))
}

/// Above the page after a certificate was stored: also that no authority will take it.
fn stored(emitter: &Value) -> Markup {
    let pending = emitter["pendencias_detalhes"].as_array();
    let mut pending = pending.into_iter().flatten();
    let doubt = pending.find(|one| text(one, "codigo") == "certificado_invalido");
    html! {
        (done("Certificado salvo."))
        @if let Some(doubt) = doubt { (alert(text(doubt, "mensagem"))) }
    }
}

/// The page of a company. `filled`: its data as they were sent, and what is wrong with the form
/// that was.
fn shown(visitor: &Visitor, company: &Company, filled: &Filled, note: Markup) -> Markup {
    let wrong = &filled.wrong;
    let emitter = &company.record;
    let path = page_of(emitter);
    page(
        visitor,
        "/painel/emitentes",
        text(emitter, "razao_social"),
        html! {
            (top(text(emitter, "razao_social"), "", html! { a class="botao secundario mini" href="/painel/emitentes" { "Voltar" } }))
            (note)
            (wrong.above(Some(wrong::label)))
            section class="cartao" { h2 { "Situação" } (facts(emitter, visitor.may(Action::Emitters).then_some(""))) }
            @if visitor.may(Action::Emitters) {
                div class="grade larga" {
                    (certificate::card(visitor, emitter, wrong))
                    section class="cartao" {
                        h2 { "Ambiente" }
                        p class="suave" { "Para onde vão as notas desta empresa feitas no ambiente de produção do painel ou com uma chave de API de produção. O que é feito em teste nunca chega à produção." }
                        form class="campos" method="post" action=(format!("{path}/ambiente")) {
                            (hidden(visitor))
                            (framed(wrong, "", "ambiente", "Ambiente das notas", VALUE, choice(wrong, "ambiente", VALUE, &[("homologacao", "Homologação"), ("producao", "Produção")], text(emitter, "ambiente"))))
                            div { button class="botao secundario" { "Mudar ambiente" } }
                        }
                    }
                    (logo::card(visitor, company, wrong))
                }
                (profile::form(visitor, company, filled))
            }
        },
    )
}

async fn save(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Emitters)?;
    let company = Company::read(visitor, &id).await?;
    let names = ("cnpj", "razao_social");
    if let Some(filled) = filling::pressed(visitor, fields, names).await? {
        let page = shown(visitor, &company, &filled, html! {});
        return Ok((filled.status(), page).into_response());
    }
    let known = profile::municipality(&company.record);
    let mut found = Vec::new();
    let mut coded = match place::coded(visitor, fields, known).await? {
        Ok(coded) => coded,
        Err(city) => {
            found.push(city);
            place::without(fields)
        }
    };
    found.extend(profile::unread(&company.record, &coded));
    for one in &found {
        coded.take(&one.field);
    }
    let substitutes = profile::substitutes(&company.record);
    let before = &company.record["perfil_fiscal"];
    let mut body = profile::changed(&company.record, &coded);
    let chosen = profile::chosen(fields, before);
    let renewed = regime::renew(&mut body, choice_of(before), chosen);
    let others = [
        registration::wrong(&coded),
        registration::wrong_substitute(&coded, &substitutes),
        regime::misfit(before, &body),
    ];
    found.extend(others.into_iter().flatten());
    if !found.is_empty() {
        // What else is wrong is said at once.
        let mut wrong = wrong::unasked(&body, before);
        for one in found {
            if !wrong.has(&one.field) {
                wrong.add(&one.field, &one.sentence);
            }
        }
        let wrong = wrong.in_order(inputs::order);
        let page = shown(visitor, &company, &Filled::refused(fields, wrong), html! {});
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let reply = put_profile(&sent, &id, &body).await?;
    if !reply.ok() {
        let wrong = wrong::of(&reply, |name| name != "cnpj" && name != "ambiente");
        let page = shown(visitor, &company, &Filled::refused(fields, wrong), html! {});
        return Ok((wrong::status(&reply), page).into_response());
    }
    visitor.note("emitente.perfil", &id, "").await?;
    let told = if renewed { RENEWED } else { "perfil" };
    let to = format!("/painel/emitentes/{}?feito={told}", encoded(&id));
    Ok(Redirect::to(&to).into_response())
}

/// Replaces the profile of a company that is still as the page of this form showed it.
async fn put_profile(sent: &Sent, id: &str, profile: &Value) -> Result<Reply, Problem> {
    let mut headers = HeaderMap::new();
    if let Ok(version) = HeaderValue::from_str(sent.fields.get("versao"))
        && !version.is_empty()
    {
        headers.insert(header::IF_MATCH, version);
    }
    let path = address(id, "/fiscal-profile");
    let visitor = &sent.visitor;
    visitor
        .ask_with(headers, Method::PUT, &path, Some(profile))
        .await
}

/// The page of a company with what is wrong with a form that is not shown again as it was.
fn refused(visitor: &Visitor, company: &Company, wrong: Wrongs, status: StatusCode) -> Response {
    let filled = Filled::refused(&Fields::default(), wrong);
    let page = shown(visitor, company, &filled, html! {});
    (status, page).into_response()
}

/// `visitor`: for the page where the form is too large to be read.
async fn replace(
    visitor: Visitor,
    Path(id): Path<String>,
    sent: Result<Sent, Response>,
) -> Result<Response, Problem> {
    let sent = match sent {
        Ok(sent) => sent,
        Err(unread) if unread.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            let company = Company::read(&visitor, &id).await?;
            let (wrong, status) = (wrong::too_large(), StatusCode::PAYLOAD_TOO_LARGE);
            return Ok(refused(&visitor, &company, wrong, status));
        }
        Err(unread) => return Ok(unread),
    };
    let body = json!({
        "pfx_base64": STANDARD.encode(sent.fields.file("certificado")),
        "senha": sent.fields.raw("senha"),
    });
    let call = (Method::PUT, address(&id, "/certificado"));
    change(&sent, &id, call, &body, ("certificado", "")).await
}

async fn environment(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let ambiente = sent.fields.get("ambiente");
    let body = json!({ "ambiente": ambiente });
    let call = (Method::PATCH, address(&id, ""));
    change(&sent, &id, call, &body, ("ambiente", ambiente)).await
}

/// Changes a company; `what` and a detail go to the audit.
async fn change(
    sent: &Sent,
    id: &str,
    (method, path): (Method, String),
    body: &Value,
    (what, detail): (&str, &str),
) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Emitters)?;
    let reply = sent.ask(method, &path, Some(body)).await?;
    if !reply.ok() {
        let company = Company::read(visitor, id).await?;
        let wrong = if what == "certificado" {
            wrong::of_certificate(&reply)
        } else {
            wrong::of(&reply, |name| name == "ambiente")
        };
        let status = wrong::status(&reply);
        return Ok(refused(visitor, &company, wrong, status));
    }
    visitor
        .note(&format!("emitente.{what}"), id, detail)
        .await?;
    let to = format!("/painel/emitentes/{}?feito={what}", encoded(id));
    Ok(Redirect::to(&to).into_response())
}
