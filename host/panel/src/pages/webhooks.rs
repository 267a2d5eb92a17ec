//! Webhooks: registered, tested, rotated; the log of deliveries, one with its
//! attempts, sending again.

use super::listing::items;
use crate::Panel;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::once::led;
use crate::parts::{
    copy, done, empty, encoded, field, hidden, line, marks, moment, pager, required, select,
    status, table, took, top,
};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use events::webhooks::catalogue::{TIPOS, get as get_kind, wanted};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/webhooks", get(list).post(create))
        .route("/painel/webhooks/entregas/{id}", get(delivery))
        .route("/painel/webhooks/entregas/{id}/reenviar", post(resend))
        .route("/painel/webhooks/{id}/testar", post(test))
        .route("/painel/webhooks/{id}/segredo", post(rotate))
        .route("/painel/webhooks/{id}/ligar", post(switch))
        .route("/painel/webhooks/{id}/remover", post(remove))
        .route("/painel/webhooks/{id}/reenviar", post(resend_all))
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = match query.get("feito").map(String::as_str) {
        Some("segredo") => done(
            "Feito. O segredo só aparece uma vez: se não o copiou, troque-o, e o novo é mostrado.",
        ),
        Some("removido") => done("Webhook removido."),
        Some("mudado") => done("Webhook alterado."),
        Some("reenviadas") => done("As entregas que falharam estão na fila de novo."),
        _ => html! {},
    };
    shown(&visitor, &query, &Fields::default(), note).await
}

async fn shown(
    visitor: &Visitor,
    query: &BTreeMap<String, String>,
    fields: &Fields,
    note: Markup,
) -> Result<Markup, Problem> {
    let hooks = visitor.get("/api/v1/webhooks?limite=100").await?;
    let given = |name: &str| query.get(name).map_or("", String::as_str);
    let filters: Vec<String> = ["status", "cursor"]
        .iter()
        .filter(|name| !given(name).is_empty())
        .map(|name| format!("&{name}={}", encoded(given(name))))
        .collect();
    let log = visitor
        .get(&format!(
            "/api/v1/webhooks/entregas?limite=20{}",
            filters.concat()
        ))
        .await?;
    let may = visitor.may(Action::Integration);
    let resting: BTreeSet<&str> = items(&hooks)
        .iter()
        .filter(|hook| !text(hook, "em_pausa_ate").is_empty())
        .map(|hook| text(hook, "id"))
        .collect();
    let rests = |one: &Value| {
        text(one, "status") == "pendente" && resting.contains(text(one, "webhook_id"))
    };
    let waiting = items(&log)
        .iter()
        .any(|one| text(one, "status") == "pendente" && one["tentativas"] == 0 && !rests(one));
    let states = [
        ("", "Todas"),
        ("entregue", "Entregues"),
        ("pendente", "Pendentes"),
        ("falhou", "Falharam"),
    ];
    let kept = if given("status").is_empty() {
        String::new()
    } else {
        format!("status={}", encoded(given("status")))
    };
    Ok(page(
        visitor,
        "/painel/webhooks",
        "Webhooks",
        html! {
            (top("Webhooks", "Avisos assinados para o seu servidor, com reenvio por 90 dias.", html! {}))
            (note)
            @for hook in items(&hooks) { (card(visitor, hook, may)) }
            @if may { (form(visitor, fields)) }
            section class="cartao" id="entregas" data-atualiza=[waiting.then_some("2000")] {
                h2 { "Entregas" }
                form class="filtros" method="get" action="/painel/webhooks" {
                    (field("status", "Situação", "", select("status", &states, given("status"))))
                    button class="botao secundario" { "Filtrar" }
                }
                @if items(&log).is_empty() { (empty("sino", if items(&hooks).is_empty() { "Registre um endereço; cada aviso enviado a ele aparece aqui." } else { "Nenhuma entrega ainda. Envie um evento de teste." }, html! {})) } @else {
                    (table("Entregas", &["Evento", "Situação", "Tentativas", "Criada em", "Próxima", ""], html! {
                        @for one in items(&log) {
                            tr {
                                td { a href=(format!("/painel/webhooks/entregas/{}?ambiente={}", text(one, "id"), visitor.ambiente())) { (event(text(one, "evento"))) } div class="suave pequeno mono" { (text(one, "evento")) } }
                                td { @if rests(one) { span class="selo aviso" { "pendente, em pausa" } } @else { (status(text(one, "status"))) } }
                                td class="num" { (one["tentativas"]) }
                                td class="curto" { (moment(text(one, "criada_em"))) }
                                td class="curto" { (moment(text(one, "proxima_tentativa_em"))) }
                                td { @if may && text(one, "status") != "pendente" { (resend_button(visitor, text(one, "id"))) } }
                            }
                        }
                    }))
                    (pager("/painel/webhooks", &kept, &log))
                }
            }
        },
    ))
}

fn card(visitor: &Visitor, hook: &Value, may: bool) -> Markup {
    let id = encoded(text(hook, "id"));
    let active = hook["ativo"] == true;
    let kinds: Vec<&str> = hook["eventos"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let button = |action: &str, word: &str, class: &str| {
        html! {
            form method="post" action=(format!("/painel/webhooks/{id}/{action}")) {
                (hidden(visitor)) input type="hidden" name="ativo" value=(if active { "0" } else { "1" });
                button class=(format!("botao mini {class}")) { (word) }
            }
        }
    };
    html! {
        section class="cartao" {
            h2 class="quebra" { (text(hook, "url")) " " (status(if active { "ativo" } else { "desativado" })) }
            dl class="fatos" {
                @if !text(hook, "descricao").is_empty() { dt { "Descrição" } dd { (text(hook, "descricao")) } }
                dt { "Eventos" } dd { @if kinds.is_empty() { "os padrão: " (default_kinds()) } @else { (kinds.join(", ")) } }
                @if !text(hook, "motivo_desativado").is_empty() { dt { "Motivo" } dd { (text(hook, "motivo_desativado")) } }
                @if !text(hook, "em_pausa_ate").is_empty() { dt { "Em pausa até" } dd { (moment(text(hook, "em_pausa_ate"))) } }
                @if !text(hook, "segredo_anterior_ate").is_empty() { dt { "Segredo anterior até" } dd { (moment(text(hook, "segredo_anterior_ate"))) } }
                dt { "Identificador" } dd class="mono" { (text(hook, "id")) }
            }
            @if may {
                div class="acoes" {
                    (button("testar", "Enviar teste", "secundario"))
                    (button("segredo", "Trocar segredo", "secundario"))
                    (button("reenviar", "Reenviar o que falhou", "secundario"))
                    (button("ligar", if active { "Desativar" } else { "Ativar" }, "secundario"))
                    (button("remover", "Remover", "perigo"))
                }
            }
        }
    }
}

/// What a kind of event says, as the catalogue describes it.
fn event(name: &str) -> &str {
    get_kind(name).map_or(name, |kind| kind.description.trim_end_matches('.'))
}

/// The kinds that a webhook gets that names none.
fn default_kinds() -> String {
    let kinds = wanted(&[]);
    let names: Vec<_> = kinds.iter().map(|kind| kind.name).collect();
    names.join(", ")
}

fn form(visitor: &Visitor, fields: &Fields) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Novo webhook" }
            (marks())
            form class="campos" method="post" action="/painel/webhooks" {
                (hidden(visitor))
                (required("url", "Endereço", "Um endereço https que responda 2xx em até 10 segundos.", html! {
                    input id="url" name="url" type="url" required value=(fields.get("url")) placeholder="https://" aria-describedby="url-dica";
                }))
                (field("descricao", "Descrição", "", line("descricao", "text", fields.get("descricao"))))
                fieldset {
                    legend { "Eventos" }
                    p class="dica" { "Nenhum marcado: os que dizem padrão." }
                    div class="opcoes colunas" {
                        @for kind in TIPOS {
                            label title=(kind.description) { input type="checkbox" name="evento" value=(kind.name) checked[fields.all("evento").contains(&kind.name)]; (kind.name) @if kind.default { " (padrão)" } }
                        }
                    }
                }
                div { button class="botao" { "Registrar webhook" } }
            }
        }
    }
}

fn resend_button(visitor: &Visitor, id: &str) -> Markup {
    html! {
        form method="post" action=(format!("/painel/webhooks/entregas/{}/reenviar", encoded(id))) {
            (hidden(visitor)) button class="botao secundario mini" { "Reenviar" }
        }
    }
}

/// The secret, shown this once.
fn new_secret(answer: &Value) -> Markup {
    html! {
        div class="aviso-caixa ok" role="status" {
            p { strong { "Copie agora: o segredo não será mostrado de novo." } " Com ele se conferem as assinaturas." }
            (copy("segredo", text(answer, "segredo")))
            @for notice in answer["avisos"].as_array().into_iter().flatten() { p { (notice.as_str().unwrap_or_default()) } }
        }
    }
}

async fn create(sent: Sent) -> Result<Response, Problem> {
    let fields = &sent.fields;
    let body = json!({ "url": fields.get("url"), "descricao": fields.get("descricao"), "eventos": fields.all("evento") });
    secret(&sent, "/api/v1/webhooks", &body, "webhook.criado").await
}

async fn rotate(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let path = format!("/api/v1/webhooks/{}/rotacionar-segredo", encoded(&id));
    secret(&sent, &path, &json!({}), "webhook.segredo_trocado").await
}

/// Asks for something that answers a secret, and shows it.
async fn secret(sent: &Sent, path: &str, body: &Value, action: &str) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Integration)?;
    let reply = sent.ask(Method::POST, path, Some(body)).await?;
    let none = BTreeMap::new();
    if !reply.ok() {
        let page = shown(visitor, &none, &sent.fields, refusal(&reply)).await?;
        return Ok(page.into_response());
    }
    let answer = reply.json();
    visitor
        .note(action, text(&answer, "id"), text(&answer, "url"))
        .await?;
    let page = shown(visitor, &none, &Fields::default(), new_secret(&answer)).await?;
    Ok(led(page, "/painel/webhooks?feito=segredo"))
}

/// Asks an operation about a webhook; then `to`, or why not.
async fn act(
    sent: &Sent,
    (method, path): (Method, String),
    body: Option<&Value>,
    (action, target): (&str, &str),
    to: impl Fn(&Value) -> String,
) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Integration)?;
    let reply = sent.ask(method, &path, body).await?;
    if !reply.ok() {
        let page = shown(
            visitor,
            &BTreeMap::new(),
            &Fields::default(),
            refusal(&reply),
        )
        .await?;
        return Ok(page.into_response());
    }
    visitor.note(action, target, "").await?;
    Ok(Redirect::to(&to(&reply.json())).into_response())
}

async fn test(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let call = (
        Method::POST,
        format!("/api/v1/webhooks/{}/testar", encoded(&id)),
    );
    let to = |answer: &Value| format!("/painel/webhooks/entregas/{}", text(answer, "id"));
    act(&sent, call, Some(&json!({})), ("webhook.testado", &id), to).await
}

async fn switch(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let call = (Method::PATCH, format!("/api/v1/webhooks/{}", encoded(&id)));
    let body = json!({ "ativo": sent.fields.get("ativo") == "1" });
    let to = |_: &Value| "/painel/webhooks?feito=mudado".to_owned();
    act(&sent, call, Some(&body), ("webhook.mudado", &id), to).await
}

async fn remove(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let call = (Method::DELETE, format!("/api/v1/webhooks/{}", encoded(&id)));
    let to = |_: &Value| "/painel/webhooks?feito=removido".to_owned();
    act(&sent, call, None, ("webhook.removido", &id), to).await
}

async fn resend(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let call = (
        Method::POST,
        format!("/api/v1/webhooks/entregas/{}/reenviar", encoded(&id)),
    );
    let to = |answer: &Value| format!("/painel/webhooks/entregas/{}", text(answer, "id"));
    act(
        &sent,
        call,
        Some(&json!({})),
        ("entrega.reenviada", &id),
        to,
    )
    .await
}

async fn resend_all(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let call = (
        Method::POST,
        "/api/v1/webhooks/entregas/reenviar".to_owned(),
    );
    let body = json!({ "webhook_id": id });
    let to = |_: &Value| "/painel/webhooks?feito=reenviadas".to_owned();
    act(&sent, call, Some(&body), ("entregas.reenviadas", &id), to).await
}

async fn delivery(visitor: Visitor, Path(id): Path<String>) -> Result<Markup, Problem> {
    let one = visitor
        .subject(&format!("/api/v1/webhooks/entregas/{}", encoded(&id)))
        .await?;
    let hook = format!("/api/v1/webhooks/{}", encoded(text(&one, "webhook_id")));
    // It may have been removed since.
    let hook = visitor.ask(Method::GET, &hook, None).await?.json();
    let rests_until = text(&hook, "em_pausa_ate");
    let waits = text(&one, "status") == "pendente";
    let attempts = one["historico"].as_array().map_or(&[][..], Vec::as_slice);
    let body = serde_json::to_string_pretty(&one["corpo"]).unwrap_or_default();
    Ok(page(
        &visitor,
        "/painel/webhooks",
        "Entrega",
        html! {
            div id="entrega" data-atualiza=[waits.then_some("2000")] {
            (top(event(text(&one, "evento")), text(&one, "evento"), html! {
                (status(text(&one, "status")))
                @if !waits && visitor.may(Action::Integration) { (resend_button(&visitor, &id)) }
                a class="botao secundario mini" href="/painel/webhooks" { "Voltar" }
            }))
                section class="cartao" {
                    h2 { "Tentativas" }
                    @if waits && !rests_until.is_empty() {
                        p { "O webhook está em pausa até " (moment(rests_until)) ", porque as últimas tentativas falharam. Esta entrega espera o fim da pausa." }
                    } @else if waits && attempts.is_empty() { p class="suave" { "A primeira tentativa está na fila." } }
                    ol class="tempo" {
                        @for attempt in attempts {
                            @let status = attempt["resposta_status"].as_i64();
                            li class=(if status.is_some_and(|s| (200..300).contains(&s)) { "" } else { "erro" }) {
                                strong {
                                    "Tentativa " (attempt["numero"]) ": "
                                    @match status { Some(200..=299) => "recebida", Some(_) => "respondida com erro", None => { (text(attempt, "erro")) } }
                                }
                                @if let Some(code) = status { " " span class="suave pequeno mono" { "(HTTP " (code) ")" } }
                                div class="suave pequeno" { (moment(text(attempt, "em"))) " · " (took(attempt["duracao_ms"].as_i64().unwrap_or(0))) }
                                @if !text(attempt, "resposta_corpo").is_empty() { pre { (text(attempt, "resposta_corpo")) } }
                            }
                        }
                    }
                    @if waits && !attempts.is_empty() { p { "Próxima tentativa: " (moment(text(&one, "proxima_tentativa_em"))) } }
                    @if !text(&one, "motivo").is_empty() { p { "Desistência: " (text(&one, "motivo")) } }
                }
                section class="cartao" {
                    h2 { "Corpo enviado" }
                    pre tabindex="0" { (body) }
                }
            }
        },
    ))
}
