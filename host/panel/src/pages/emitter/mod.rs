//! One company: its data, its certificate and its environment.

mod company;
pub mod profile;

use self::company::{Company, address};
use crate::Panel;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::pages::emitters::facts;
use crate::parts::{done, encoded, field, hidden, select, top};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/emitentes/{id}", get(show))
        .route("/painel/emitentes/{id}/certificado", post(certificate))
        .route("/painel/emitentes/{id}/perfil", post(save))
        .route("/painel/emitentes/{id}/ambiente", post(environment))
}

async fn show(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = match query.get("feito").map(String::as_str) {
        Some("certificado") => done("Certificado gravado."),
        Some("ambiente") => done("Ambiente mudado."),
        Some("perfil") => done("Dados da empresa gravados."),
        _ => html! {},
    };
    let company = Company::read(&visitor, &id).await?;
    Ok(shown(&visitor, &company, &Fields::default(), note))
}

/// The page of a company. `fields`: of its data, sent and refused.
pub fn shown(visitor: &Visitor, company: &Company, fields: &Fields, note: Markup) -> Markup {
    let emitter = &company.record;
    let has = emitter["certificado"].is_object();
    let path = format!("/painel/emitentes/{}", encoded(text(emitter, "id")));
    page(
        visitor,
        "/painel/emitentes",
        text(emitter, "razao_social"),
        html! {
            (top(text(emitter, "razao_social"), "", html! { a class="botao secundario mini" href="/painel/emitentes" { "Voltar" } }))
            (note)
            section class="cartao" { h2 { "Situação" } (facts(emitter)) }
            @if visitor.may(Action::Emitters) {
                div class="grade larga" {
                    section class="cartao" {
                        h2 { (if has { "Trocar o certificado" } else { "Enviar o certificado" }) }
                        p class="suave" { "O A1 da empresa, em arquivo. Com ele, as notas de produto e de consumidor feitas no ambiente de teste vão à homologação da SEFAZ e custam como em produção." }
                        form class="campos" method="post" action=(format!("{path}/certificado")) enctype="multipart/form-data" {
                            (hidden(visitor))
                            (field("certificado", "Arquivo .pfx ou .p12", "", html! { input id="certificado" name="certificado" type="file" accept=".pfx,.p12,application/x-pkcs12" required; }))
                            (field("senha", "Senha do arquivo", "A senha não é guardada; a chave fica cifrada.", html! { input id="senha" name="senha" type="password" autocomplete="off"; }))
                            div { button class="botao" { "Gravar certificado" } }
                        }
                    }
                    section class="cartao" {
                        h2 { "Ambiente" }
                        p class="suave" { "Onde as chaves de produção emitem por esta empresa. Chaves de teste nunca chegam à produção." }
                        form class="campos" method="post" action=(format!("{path}/ambiente")) {
                            (hidden(visitor))
                            (field("ambiente", "Ambiente das notas", "Em produção as notas têm valor fiscal.", select("ambiente", &[("homologacao", "Homologação"), ("producao", "Produção")], text(emitter, "ambiente"))))
                            div { button class="botao secundario" { "Mudar ambiente" } }
                        }
                    }
                }
                (profile::form(visitor, company, fields))
            }
        },
    )
}

async fn save(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Emitters)?;
    let company = Company::read(visitor, &id).await?;
    let body = profile::changed(&company.record, fields);
    let mut headers = HeaderMap::new();
    if let Ok(version) = HeaderValue::from_str(fields.get("versao"))
        && !version.is_empty()
    {
        headers.insert(header::IF_MATCH, version);
    }
    let path = format!("/api/v1/emitters/{}/fiscal-profile", encoded(&id));
    let reply = visitor
        .ask_with(headers, Method::PUT, &path, Some(&body))
        .await?;
    if !reply.ok() {
        let note = refusal(&reply);
        let page = shown(visitor, &company, fields, note);
        return Ok(page.into_response());
    }
    visitor.note("emitente.perfil", &id, "").await?;
    let to = format!("/painel/emitentes/{}?feito=perfil", encoded(&id));
    Ok(Redirect::to(&to).into_response())
}

async fn certificate(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
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
        let page = shown(visitor, &company, &Fields::default(), refusal(&reply));
        return Ok(page.into_response());
    }
    visitor
        .note(&format!("emitente.{what}"), id, detail)
        .await?;
    let to = format!("/painel/emitentes/{}?feito={what}", encoded(id));
    Ok(Redirect::to(&to).into_response())
}
