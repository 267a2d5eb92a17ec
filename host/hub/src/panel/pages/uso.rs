//! Usage: by day, operation, key or company; the calls; one call with its
//! timeline and what was said to the authority.

use super::inicio::items;
use crate::panel::Panel;
use crate::panel::layout::page;
use crate::panel::parts::{
    empty, encoded, field, line, moment, pager, reais, select, table, top, whole,
};
use crate::panel::reply::{Problem, refusal, text};
use crate::panel::visitor::Visitor;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::routing::get;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

const GROUPS: &[(&str, &str)] = &[
    ("dia", "Dia"),
    ("operacao", "Operação"),
    ("chave", "Chave"),
    ("emitente", "Emitente"),
];

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/uso", get(usage))
        .route("/painel/uso/chamadas/{id}", get(call))
}

async fn usage(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let given = |name: &str| query.get(name).map_or("", String::as_str).trim();
    let group = if given("agrupar").is_empty() {
        "dia"
    } else {
        given("agrupar")
    };
    let mut path = format!("/api/v1/usage?agrupar={}", encoded(group));
    for name in ["de", "ate"] {
        if !given(name).is_empty() {
            path.push_str(&format!("&{name}={}", encoded(given(name))));
        }
    }
    let reply = visitor.ask(Method::GET, &path, None).await?;
    let report = reply.json();
    let cursor = given("cursor");
    let from = if cursor.is_empty() {
        String::new()
    } else {
        format!("&cursor={}", encoded(cursor))
    };
    let calls = visitor
        .get(&format!("/api/v1/usage/chamadas?limite=25{from}"))
        .await?;
    Ok(page(
        &visitor,
        "/painel/uso",
        "Uso",
        html! {
            (top("Uso", "O que foi chamado com as chaves da conta, e o que custou.", html! {}))
            form class="filtros" method="get" action="/painel/uso" {
                (field("agrupar", "Agrupar por", "", select("agrupar", GROUPS, group)))
                (field("de", "De", "", line("de", "date", given("de"))))
                (field("ate", "Até", "", line("ate", "date", given("ate"))))
                button class="botao secundario" { "Mostrar" }
            }
            @if !reply.ok() { (refusal(&reply)) }
            section class="cartao" {
                h2 { "Resumo" }
                @if items(&report).is_empty() { (empty("Nada neste período.", html! {})) } @else { (summary(&report)) }
            }
            section class="cartao" {
                h2 { "Chamadas" }
                @if items(&calls).is_empty() { (empty("Nenhuma chamada.", html! {})) } @else {
                    (table("Chamadas", &["Quando", "Operação", "Chave", "Status", "Duração", "request_id"], html! {
                        @for call in items(&calls) {
                            tr {
                                td class="curto" { (moment(text(call, "em"))) }
                                td { (text(call, "operacao")) }
                                td class="mono curto" { (text(call, "chave_final")) }
                                td { (code(call)) }
                                td class="num" { (call["duracao_ms"]) " ms" }
                                td class="mono" { a href=(format!("/painel/uso/chamadas/{}", text(call, "request_id"))) { (text(call, "request_id")) } }
                            }
                        }
                    }))
                    (pager("/painel/uso", "", &calls))
                }
            }
        },
    ))
}

fn summary(report: &Value) -> Markup {
    let number = |item: &Value, name: &str| item[name].as_i64().unwrap_or(0);
    table(
        "Resumo do uso",
        &["Grupo", "Chamadas", "Debitado", "Devolvido"],
        html! {
            @for item in items(report) {
                tr {
                    td { (text(item, "chave_grupo")) }
                    td class="num" { (whole(number(item, "chamadas"))) }
                    td class="num" { (reais(number(item, "debitado"))) }
                    td class="num" { (whole(number(item, "devolvido"))) }
                }
            }
        },
    )
}

fn code(call: &Value) -> Markup {
    let number = call["status"].as_i64().unwrap_or(0);
    let class = match number {
        200..=299 => "selo ok",
        400..=499 => "selo aviso",
        500.. => "selo erro",
        _ => "selo",
    };
    html! { span class=(class) { (number) " " (text(call, "x_error_code")) } }
}

async fn call(visitor: Visitor, Path(id): Path<String>) -> Result<Markup, Problem> {
    let call = visitor
        .get(&format!("/api/v1/usage/chamadas/{}", encoded(&id)))
        .await?;
    let steps = call["linha_do_tempo"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let moved = call["lancamentos"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let document = text(&call, "nota_id");
    Ok(page(
        &visitor,
        "/painel/uso",
        "Chamada",
        html! {
            (top(text(&call, "operacao"), &id, html! { (code(&call)) a class="botao secundario mini" href="/painel/uso" { "Voltar" } }))
            div class="grade larga" {
                section class="cartao" {
                    h2 { "Dados" }
                    dl class="fatos" {
                        dt { "Quando" } dd { (moment(text(&call, "em"))) }
                        dt { "Caminho" } dd class="mono" { (text(&call, "metodo")) " " (text(&call, "caminho")) }
                        dt { "Chave" } dd class="mono" { (text(&call, "chave_final")) }
                        dt { "Duração" } dd { (call["duracao_ms"]) " ms" }
                        @if !document.is_empty() { dt { "Documento" } dd { a href=(format!("/painel/documentos/{document}")) { (document) } } }
                    }
                    @if !moved.is_empty() {
                        h3 { "Créditos" }
                        ul { @for one in moved { li { (text(one, "tipo")) ": " (one["valor"]) } } }
                    }
                }
                section class="cartao" {
                    h2 { "Linha do tempo" }
                    ol class="tempo" {
                        @for step in steps {
                            li {
                                strong { (text(step, "etapa").replace('_', " ")) }
                                @if !step["detalhe"].is_null() { " " span class="mono" { (step["detalhe"].to_string().trim_matches('"')) } }
                                div class="suave pequeno" { (moment(text(step, "em"))) }
                            }
                        }
                    }
                }
            }
            (exchange(&call["troca"]))
        },
    ))
}

/// What a call had said to the authority, each exchange to be opened; nothing
/// where an authority was not its affair.
fn exchange(troca: &Value) -> Markup {
    if !troca.is_object() {
        return html! {};
    }
    let message = text(troca, "mensagem");
    let omitted = troca["omitidas"].as_i64().unwrap_or(0);
    html! {
        section class="cartao" id="troca" {
            h2 { "Troca com a autoridade" }
            p class="suave" { "Só o que é técnico aparece. O resto está oculto (•••): nomes, documentos, valores, assinaturas e senhas." }
            @if !message.is_empty() { p { (message) } }
            @for (index, one) in items(troca).iter().enumerate() { (exchanged(index + 1, one)) }
            @if omitted > 0 { p class="suave" { "Outras " (omitted) " trocas, entre as primeiras e as últimas, não são mostradas." } }
        }
    }
}

fn exchanged(number: usize, one: &Value) -> Markup {
    let status = one["status"].as_i64();
    let fault = text(one, "falha").replace('_', " ");
    let class = match status {
        Some(200..=299) => "selo ok",
        Some(_) => "selo aviso",
        None if fault.is_empty() => "selo",
        None => "selo erro",
    };
    html! {
        details class="troca" open[number == 1] {
            summary {
                span { (number) ". " (text(one, "rotulo")) } " "
                span class=(class) {
                    @match status {
                        Some(status) => { "HTTP " (status) }
                        None if fault.is_empty() => "à espera da resposta",
                        None => { "sem resposta: " (fault) }
                    }
                }
            }
            dl class="fatos" {
                dt { "Enviada em" } dd { (moment(text(one, "em"))) }
                dt { "Endereço" } dd class="mono" { (text(one, "metodo")) " " (text(one, "host")) (text(one, "caminho")) @if one["simulada"] == true { " (simulado)" } }
                @if let Some(took) = one["duracao_ms"].as_i64() { dt { "Duração" } dd { (took) " ms" } }
                @if one["pode_ter_chegado"] == true { dt { "Chegada" } dd { "Não se sabe se a requisição chegou." } }
            }
            (body(number, "Requisição", &one["requisicao"]))
            @if one["resposta"].is_object() { (body(number, "Resposta", &one["resposta"])) }
        }
    }
}

fn body(number: usize, title: &str, side: &Value) -> Markup {
    let size = side["bytes"].as_i64().unwrap_or(0);
    let shown = text(side, "corpo");
    html! {
        h3 { (title) }
        p class="suave pequeno" { (text(side, "tipo")) " " (whole(size)) " bytes" }
        @if !shown.is_empty() {
            pre tabindex="0" role="region" aria-label=(format!("{title} {number}")) { (shown) }
        } @else if size > 0 {
            p { "O conteúdo não é mostrado." }
        }
        @if side["cortado"] == true { p class="suave pequeno" { "O corpo é maior que o mostrado." } }
    }
}
