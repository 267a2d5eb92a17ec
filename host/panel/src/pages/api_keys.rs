//! API keys: made (shown once), rotated, revoked.

use super::listing::items;
use crate::Panel;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::once::led;
use crate::parts::{copy, done, empty, encoded, field, hidden, line, moment, status, table, top};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use accounts::users::Rights as _;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Registration makes keys and shows none: nobody has what was not rotated.
const FIRST_KEYS: &str = "A conta nasce com uma chave de teste e uma de produção, com o nome dela. Quem se cadastra aqui não vê o valor delas: para usar uma, rotacione-a e copie a nova.";

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/chaves", get(list).post(create))
        .route("/painel/chaves/{id}/revogar", post(revoke))
        .route("/painel/chaves/{id}/rotacionar", post(rotate))
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = if query.contains_key("criada") {
        done(
            "A chave foi criada, e só aparece uma vez. Se não a copiou, rotacione-a: a nova é mostrada.",
        )
    } else {
        html! {}
    };
    shown(&visitor, &Fields::default(), note).await
}

async fn shown(visitor: &Visitor, fields: &Fields, note: Markup) -> Result<Markup, Problem> {
    let keys = visitor.get("/api/v1/chaves?limite=100").await?;
    let may = visitor.may(Action::Integration);
    let world = if visitor.live() {
        "produção"
    } else {
        "teste"
    };
    Ok(page(
        visitor,
        "/painel/chaves",
        "Chaves de API",
        html! {
            (top("Chaves de API", "Uma chave fica em um servidor, nunca em um navegador ou aplicativo.", html! {}))
            (note)
            section class="cartao" {
                @if items(&keys).is_empty() { (empty("chave", "Nenhuma chave neste ambiente.", html! {})) } @else {
                    (table("Chaves", &["Nome", "Chave", "Escopos", "Criada em", "Último uso", "Situação", ""], html! {
                        @for key in items(&keys) { (row(visitor, key, may)) }
                    }))
                    p class="dica" { (FIRST_KEYS) }
                }
            }
            @if may {
                section class="cartao" {
                    h2 { "Nova chave de " (world) }
                    form class="campos" method="post" action="/painel/chaves" {
                        (hidden(visitor))
                        (field("nome", "Nome", "Onde ela será usada.", html! { input id="nome" name="nome" required maxlength="80" value=(fields.get("nome")); }))
                        fieldset {
                            legend { "Escopos" }
                            p class="dica" { "Nenhum marcado: todos." }
                            div class="opcoes colunas" {
                                @for scope in accounts::scopes::Scope::ALL.into_iter().filter(|scope| visitor.session.role.scopes().has(*scope)) {
                                    label { input type="checkbox" name="escopo" value=(scope.as_str()) checked[fields.all("escopo").contains(&scope.as_str())]; (scope.as_str()) }
                                }
                            }
                        }
                        (field("ips", "Endereços permitidos", "Um por linha, como 203.0.113.0/24. Vazio: qualquer um.", html! {
                            textarea id="ips" name="ips" aria-describedby="ips-dica" { (fields.raw("ips")) }
                        }))
                        (field("limite", "Limite de créditos por dia", "Vazio: sem limite.", line("limite", "number", fields.get("limite"))))
                        div { button class="botao" { "Criar chave de " (world) } }
                    }
                }
            }
        },
    ))
}

fn row(visitor: &Visitor, key: &Value, may: bool) -> Markup {
    let id = encoded(text(key, "id"));
    let revoked = !key["revogada_em"].is_null();
    let scopes: Vec<&str> = key["escopos"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let all = scopes.len() == accounts::scopes::Scope::ALL.len();
    html! {
        tr {
            td { (text(key, "nome")) }
            td class="mono curto" { (text(key, "prefixo")) "…" (text(key, "final")) }
            td { @if all { "todos" } @else { (scopes.join(", ")) } }
            td class="curto" { (moment(text(key, "criada_em"))) }
            td class="curto" { (moment(text(key, "ultimo_uso_em"))) }
            td { (status(if revoked { "revogada" } else { "ativa" })) }
            td {
                @if may && !revoked {
                    div class="acoes" {
                        form method="post" action=(format!("/painel/chaves/{id}/rotacionar")) { (hidden(visitor)) button class="botao secundario mini" { "Rotacionar" } }
                        form method="post" action=(format!("/painel/chaves/{id}/revogar")) data-confirma="Revogar esta chave? Quem a usa para de funcionar em segundos." {
                            (hidden(visitor)) button class="botao perigo mini" { "Revogar" }
                        }
                    }
                }
            }
        }
    }
}

/// A key just made, shown this once.
fn secret(answer: &Value) -> Markup {
    html! {
        div class="aviso-caixa ok" role="status" {
            p { strong { "Copie agora: a chave não será mostrada de novo." } }
            (copy("chave-nova", text(answer, "chave")))
            p class="pequeno" { "Para o par X-API-Key e X-API-Secret, o segredo é:" }
            (copy("segredo-novo", text(answer, "segredo")))
        }
    }
}

async fn create(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Integration)?;
    let mut body = json!({
        "nome": fields.get("nome"), "tipo": if visitor.live() { "producao" } else { "teste" },
        "ips": fields.raw("ips").split_whitespace().collect::<Vec<_>>(),
    });
    if !fields.all("escopo").is_empty() {
        body["escopos"] = json!(fields.all("escopo"));
    }
    if !fields.get("limite").is_empty() {
        body["limite_diario"] = fields
            .get("limite")
            .parse::<i64>()
            .map_or(Value::from(fields.get("limite")), Value::from);
    }
    made(&sent, "/api/v1/chaves", Some(&body), "chave.criada").await
}

async fn rotate(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    sent.visitor.must(Action::Integration)?;
    let path = format!("/api/v1/chaves/{}/rotacionar", encoded(&id));
    made(&sent, &path, Some(&json!({})), "chave.rotacionada").await
}

/// Asks for a key and shows it.
async fn made(
    sent: &Sent,
    path: &str,
    body: Option<&Value>,
    action: &str,
) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    let reply = sent.ask(Method::POST, path, body).await?;
    if !reply.ok() {
        return Ok(shown(visitor, &sent.fields, refusal(&reply))
            .await?
            .into_response());
    }
    let answer = reply.json();
    visitor
        .note(action, text(&answer, "id"), text(&answer, "nome"))
        .await?;
    let page = shown(visitor, &Fields::default(), secret(&answer)).await?;
    Ok(led(page, "/painel/chaves?criada=1"))
}

async fn revoke(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Integration)?;
    let path = format!("/api/v1/chaves/{}", encoded(&id));
    let reply = sent.ask(Method::DELETE, &path, None).await?;
    if !reply.ok() {
        return Ok(shown(visitor, &sent.fields, refusal(&reply))
            .await?
            .into_response());
    }
    visitor.note("chave.revogada", &id, "").await?;
    Ok(Redirect::to("/painel/chaves").into_response())
}
