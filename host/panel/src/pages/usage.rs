//! Usage: by day, operation, key or company; the calls; one call with its
//! timeline and what was said to the authority.

use super::chart::bars;
use super::credits::movement;
use super::listing::items;
use crate::Panel;
use crate::layout::page;
use crate::names::{fault, named, operation, operation_named, request};
use crate::parts::{
    self, empty, encoded, field, line, moment, pager, reais, select, table, took, top, whole,
};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::routing::get;
use base::when;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use time::Date;

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
    let chosen = GROUPS.iter().find(|(word, _)| *word == given("agrupar"));
    let group = chosen.map_or("dia", |(word, _)| *word);
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
    let names = if group == "emitente" {
        companies(&visitor).await?
    } else {
        HashMap::new()
    };
    let days = if group == "dia" {
        series(&report)
    } else {
        Vec::new()
    };
    let asked: Vec<(String, i64)> = days
        .iter()
        .map(|day| (day.label.clone(), day.calls))
        .collect();
    let calls = visitor
        .get(&format!("/api/v1/usage/chamadas?limite=25{from}"))
        .await?;
    Ok(page(
        &visitor,
        "/painel/uso",
        "Uso",
        html! {
            (top("Uso", "O que foi chamado com as chaves da conta, de Teste e de Produção juntas, e o que custou.", html! {}))
            form class="filtros" method="get" action="/painel/uso" {
                (field("agrupar", "Agrupar por", "", select("agrupar", GROUPS, group)))
                (field("de", "De (UTC)", "", line("de", "date", given("de"))))
                (field("ate", "Até (UTC)", "", line("ate", "date", given("ate"))))
                button class="botao secundario" { "Mostrar" }
            }
            @if !reply.ok() { (refusal(&reply)) }
            section class="cartao" {
                h2 { "Resumo" }
                @if items(&report).is_empty() { (empty("barras", "Nada foi chamado neste período.", html! {})) } @else {
                    @if days.len() > 1 { (bars("Chamadas por dia", ("chamada", "chamadas"), &asked)) }
                    (summary(&report, group, &names))
                }
            }
            (asked_calls(&calls))
        },
    ))
}

/// The calls one by one.
fn asked_calls(calls: &Value) -> Markup {
    html! {
            section class="cartao" {
                h2 { "Últimas chamadas" }
                @if items(calls).is_empty() { (empty("lista", "Cada chamada feita com as chaves desta conta aparece aqui.", html! { a class="botao secundario" href="/painel/chaves" { "Ver as chaves" } })) } @else {
                    (table("Chamadas", &["Quando", "Operação", "Ambiente", "Chave", "Situação", "Duração", "Chamada"], html! {
                        @for call in items(calls) {
                            tr {
                                td class="curto" { (moment(text(call, "em"))) }
                                td class="texto" { (operation_named(text(call, "operacao"))) }
                                td { (if world(call) == "teste" { "Teste" } else { "Produção" }) }
                                td class="mono curto" { (text(call, "chave_final")) }
                                td { (code(call)) }
                                td class="num" { (took(call["duracao_ms"].as_i64().unwrap_or(0))) }
                                td class="mono" { a href=(format!("/painel/uso/chamadas/{}?ambiente={}", text(call, "request_id"), world(call))) { (text(call, "request_id")) } }
                            }
                        }
                    }))
                    (pager("/painel/uso", "", calls))
                }
            }
    }
}

fn summary(report: &Value, group: &str, names: &HashMap<String, String>) -> Markup {
    let number = |item: &Value, name: &str| item[name].as_i64().unwrap_or(0);
    let word = GROUPS
        .iter()
        .find(|(known, _)| *known == group)
        .map_or("Grupo", |(_, word)| *word);
    table(
        "Resumo do uso",
        &[word, "Chamadas", "Debitado", "Devolvido"],
        html! {
            // The newest day is what people look for.
            @for item in newest_first(items(report), group) {
                tr {
                    td { (group_shown(item, group, names)) }
                    td class="num" { (whole(number(item, "chamadas"))) }
                    td class="num" { (reais(number(item, "debitado"))) }
                    td class="num" { (reais(number(item, "devolvido"))) }
                }
            }
        },
    )
}

fn newest_first<'v>(items: &'v [Value], group: &str) -> Vec<&'v Value> {
    let mut items: Vec<&Value> = items.iter().collect();
    if group == "dia" {
        items.reverse();
    }
    items
}

/// A group's name; that of an operation with its id, which programs use.
fn group_shown(item: &Value, group: &str, names: &HashMap<String, String>) -> Markup {
    match (group, text(item, "chave_grupo")) {
        ("operacao", id) if !id.is_empty() => operation_named(id),
        _ => html! { (group_name(item, group, names)) },
    }
}

fn group_name(item: &Value, group: &str, names: &HashMap<String, String>) -> String {
    let name = text(item, "chave_grupo");
    let known = match group {
        "dia" => when::parse_date(name).map(|day| {
            let (day, month, year) = (day.day(), u8::from(day.month()), day.year());
            format!("{day:02}/{month:02}/{year}")
        }),
        "chave" => Some(text(item, "nome"))
            .filter(|called| !called.is_empty())
            .map(|called| format!("{called} (…{})", text(item, "final"))),
        _ => names.get(name).cloned(),
    };
    match known {
        Some(known) => known,
        None if name.is_empty() => "Sem grupo".to_owned(),
        None => name.to_owned(),
    }
}

/// Names of companies by id.
async fn companies(visitor: &Visitor) -> Result<HashMap<String, String>, Problem> {
    let emitters = visitor.get("/api/v1/emitters?limite=100").await?;
    let named = items(&emitters).iter().map(|one| {
        let (id, name) = (text(one, "id"), text(one, "razao_social"));
        (id.to_owned(), name.to_owned())
    });
    Ok(named.collect())
}

/// A day of a report.
pub struct Day {
    pub label: String,
    pub calls: i64,
    pub spent: i64,
}

/// Every day of a report's period: it names those alone on which something
/// happened.
pub fn series(report: &Value) -> Vec<Day> {
    let day = |name: &str| when::parse_date(text(&report["periodo"], name));
    let (Some(from), Some(to)) = (day("de"), day("ate")) else {
        return Vec::new();
    };
    let known: HashMap<&str, &Value> = items(report)
        .iter()
        .map(|item| (text(item, "chave_grupo"), item))
        .collect();
    let days = std::iter::successors(Some(from), |day: &Date| day.next_day());
    days.take_while(|day| *day <= to)
        .map(|day| {
            let item = known.get(day.to_string().as_str());
            let number = |name: &str| item.and_then(|item| item[name].as_i64()).unwrap_or(0);
            Day {
                label: format!("{:02}/{:02}", day.day(), u8::from(day.month())),
                calls: number("chamadas"),
                spent: number("debitado"),
            }
        })
        .collect()
}

/// What became of a call, with the status and the code that programs read.
fn code(call: &Value) -> Markup {
    let number = call["status"].as_i64().unwrap_or(0);
    let (class, word) = match number {
        200..=299 => ("selo ok", "atendida"),
        400..=499 => ("selo aviso", "recusada"),
        500.. => ("selo erro", "falhou"),
        _ => ("selo", "sem resposta"),
    };
    html! {
        span class=(class) { (word) }
        " " span class="suave pequeno mono" { (number) " " (text(call, "x_error_code")) }
    }
}

/// The world of the key that called.
fn world(call: &Value) -> &str {
    text(call, "chave_tipo")
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
    let asked = text(&call, "operacao");
    let title = operation(asked).unwrap_or_else(|| asked.to_owned());
    Ok(page(
        &visitor,
        "/painel/uso",
        "Chamada",
        html! {
            (top(&title, &id, html! { (code(&call)) a class="botao secundario mini" href="/painel/uso" { "Voltar" } }))
            div class="grade larga" {
                section class="cartao" {
                    h2 { "Dados" }
                    dl class="fatos" {
                        dt { "Quando" } dd { (moment(text(&call, "em"))) }
                        dt { "Operação" } dd class="mono" { (asked) }
                        dt { "Caminho" } dd class="mono" { (text(&call, "metodo")) " " (text(&call, "caminho")) }
                        dt { "Chave" } dd class="mono" { (text(&call, "chave_final")) }
                        dt { "Duração" } dd { (took(call["duracao_ms"].as_i64().unwrap_or(0))) }
                        @if !document.is_empty() { dt { "Documento" } dd { a href=(parts::document(document, world(&call))) { (document) } } }
                    }
                    @if !moved.is_empty() {
                        h3 { "Créditos" }
                        ul { @for one in moved { li { (movement(text(one, "tipo"))) ": " (one["valor"]) } } }
                    }
                }
                section class="cartao" {
                    h2 { "Linha do tempo" }
                    ol class="tempo" {
                        @for step in steps {
                            li {
                                strong { (stage(text(step, "etapa"))) }
                                (detail(step))
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

/// A stage of a call.
fn stage(word: &str) -> String {
    let name = match word {
        "autenticado" => "Chave reconhecida",
        "validado" => "Dados conferidos",
        "reservado" => "Créditos reservados",
        "numerado" => "Número tomado",
        "enviado" => "Pedido enviado à autoridade",
        "respondido_pela_autoridade" => "Resposta da autoridade",
        "debitado" => "Créditos debitados",
        "devolvido" => "Créditos devolvidos",
        "respondido" => "Chamada respondida",
        other => return other.replace('_', " "),
    };
    name.to_owned()
}

/// What was asked of the authority, the credits, or the status of an answer.
fn detail(step: &Value) -> Markup {
    let answered = matches!(
        text(step, "etapa"),
        "respondido" | "respondido_pela_autoridade"
    );
    html! {
        @match (step["detalhe"].as_i64(), step["detalhe"].as_str()) {
            (Some(status), _) if answered => { " " span class="suave pequeno mono" { "(HTTP " (status) ")" } },
            (Some(credits), _) => { ": " (whole(credits)) },
            (None, Some(name)) => { ": " (named(request(name), name)) },
            (None, None) => {},
        }
    }
}

/// What a call had said to the authority, each exchange to be opened; nothing
/// where an authority was not its affair.
fn exchange(exchange: &Value) -> Markup {
    if !exchange.is_object() {
        return html! {};
    }
    let message = text(exchange, "mensagem");
    let omitted = exchange["omitidas"].as_i64().unwrap_or(0);
    html! {
        section class="cartao" id="troca" {
            h2 { "Troca com a autoridade" }
            p class="suave" { "Só o que é técnico aparece. O resto está oculto (•••): nomes, documentos, valores, assinaturas e senhas." }
            @if !message.is_empty() { p { (message) } }
            @for (index, one) in items(exchange).iter().enumerate() { (exchanged(index + 1, one)) }
            @if omitted > 0 { p class="suave" { "Outras " (omitted) " trocas, entre as primeiras e as últimas, não são mostradas." } }
        }
    }
}

fn exchanged(number: usize, one: &Value) -> Markup {
    let status = one["status"].as_i64();
    let why = text(one, "falha");
    let name = text(one, "rotulo");
    let class = match status {
        Some(200..=299) => "selo ok",
        Some(_) => "selo aviso",
        None if why.is_empty() => "selo",
        None => "selo erro",
    };
    html! {
        details class="troca" open[number == 1] {
            summary {
                span { (number) ". " (request(name).unwrap_or(name)) } " "
                span class=(class) {
                    @match status {
                        Some(200..=299) => "respondida",
                        Some(_) => "respondida com erro",
                        None if why.is_empty() => "à espera da resposta",
                        None => "sem resposta",
                    }
                }
                " " span class="suave pequeno mono" { "(" (name) @if let Some(status) = status { ", HTTP " (status) } ")" }
            }
            dl class="fatos" {
                @if !why.is_empty() { dt { "Falha" } dd { (fault(why).unwrap_or(why)) } }
                dt { "Enviada em" } dd { (moment(text(one, "em"))) }
                dt { "Endereço" } dd class="mono" { (text(one, "metodo")) " " (text(one, "host")) (text(one, "caminho")) @if one["simulada"] == true { " (simulado)" } }
                @if let Some(took) = one["duracao_ms"].as_i64() { dt { "Duração" } dd { (parts::took(took)) } }
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
