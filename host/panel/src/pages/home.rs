//! The overview: balance, calls and credits of a month, last documents.

use super::chart::bars;
use super::listing::{items, rows};
use crate::Panel;
use crate::door::reminder;
use crate::layout::page;
use crate::pages::usage;
use crate::parts::{done, empty, icon, issue, reais, stat, top, whole};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::Router;
use axum::extract::Query;
use axum::routing::get;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

pub fn router() -> Router<Panel> {
    Router::new().route("/painel", get(overview))
}

async fn overview(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let credits = visitor.get("/api/v1/creditos").await?;
    let usage = visitor.get("/api/v1/usage?agrupar=dia").await?;
    let emitters = visitor.get("/api/v1/emitters?limite=100").await?;
    let documents = latest(&visitor).await?;
    let days = usage::series(&usage);
    let calls: Vec<(String, i64)> = days
        .iter()
        .map(|day| (day.label.clone(), day.calls))
        .collect();
    let asked: i64 = days.iter().map(|day| day.calls).sum();
    let spent: i64 = days.iter().map(|day| day.spent).sum();
    let balance = credits["disponivel"].as_i64().unwrap_or(0);
    let held = credits["reservado"].as_i64().unwrap_or(0);
    let notices = certificates(&emitters);
    Ok(page(
        &visitor,
        "/painel",
        "Visão geral",
        html! {
            (top("Visão geral", "O que aconteceu nos últimos 30 dias.", html! {
                a class="botao" href=(issue(&visitor)) { (icon("mais")) "Emitir uma nota" }
            }))
            @if query.contains_key("bem-vindo") {
                (done("Conta criada. Comece emitindo uma nota de teste: não é preciso certificado, e nada é cobrado."))
            }
            @if query.contains_key("confirmacao") { (done("Enviamos outro link; olhe a sua caixa de entrada.")) }
            (reminder(&visitor))
            @for notice in &notices { div class="aviso-caixa aviso" { p { (notice) } } }
            div class="grade" {
                (stat("Saldo", &reais(balance), html! {
                    div class="rotulo" { (whole(balance)) " créditos" @if held > 0 { ", " (whole(held)) " reservados" } }
                }))
                (stat("Gasto", &reais(spent), html! { div class="rotulo" { (whole(spent)) " créditos" } }))
                (stat("Chamadas", &whole(asked), html! {
                    a class="pequeno" href="/painel/uso" { "Ver o uso" }
                }))
                (stat("Emitentes", &whole(i64::try_from(items(&emitters).len()).unwrap_or(0)), html! {
                    a class="pequeno" href="/painel/emitentes" { "Ver certificados" }
                }))
            }
            @if items(&emitters).is_empty() || documents.is_empty() { (first_steps(&visitor, !items(&emitters).is_empty())) }
            @if !documents.is_empty() {
                section class="cartao" {
                    div class="cabeca" { h2 { "Últimos documentos" } a class="pequeno" href="/painel/documentos" { "Ver todos" } }
                    (rows(&visitor, &documents))
                }
            }
            section class="cartao" {
                h2 { "Chamadas por dia" }
                @if asked == 0 {
                    (empty("barras", "As chamadas feitas com as chaves desta conta aparecem aqui.", html! { a class="botao secundario" href="/painel/chaves" { "Ver as chaves" } }))
                } @else { (bars("Chamadas por dia", ("chamada", "chamadas"), &calls)) }
            }
        },
    ))
}

/// What leads to a first note, until there is one. `emitter`: there is a
/// company.
fn first_steps(visitor: &Visitor, emitter: bool) -> Markup {
    let kind = if visitor.live() { "" } else { " de teste" };
    let step = |number: &str, done: bool, (href, word): (&str, &str), sentence: &str| {
        html! {
            li class=[done.then_some("feito")] {
                span class="disco" { @if done { (icon("certo")) } @else { (number) } }
                div {
                    a href=(href) { (word) } @if done { span class="so-leitor" { " (feito)" } }
                    div class="suave pequeno" { (sentence) }
                }
            }
        }
    };
    let words = format!("Emita uma nota{kind}");
    let example = if visitor.live() {
        "Pelo formulário; antes de emitir, ele mostra o total e o preço."
    } else {
        "Pelo formulário, com um exemplo já preenchido."
    };
    html! {
        section class="cartao" {
            h2 { "Primeiros passos" }
            ol class="passos" {
                (step("1", emitter, ("/painel/emitentes", "Cadastre um emitente"), "A empresa que assina as notas: CNPJ e endereço bastam para testar."))
                (step("2", false, (&issue(visitor), &words), example))
                (step("3", false, ("/painel/chaves", "Crie uma chave de API"), "Para o seu sistema emitir sozinho."))
                (step("4", false, ("/docs", "Leia a documentação"), "Cada operação com o seu corpo e as suas respostas."))
            }
        }
    }
}

/// The newest documents of every kind.
async fn latest(visitor: &Visitor) -> Result<Vec<Value>, Problem> {
    let mut all = Vec::new();
    for list in ["/api/v1/nfe?limite=6", "/api/v1/nfse?limite=6"] {
        all.extend(items(&visitor.get(list).await?).iter().cloned());
    }
    all.sort_by(|one, other| text(other, "criada_em").cmp(text(one, "criada_em")));
    all.truncate(6);
    Ok(all)
}

/// Certificates that end soon.
fn certificates(emitters: &Value) -> Vec<String> {
    items(emitters)
        .iter()
        .filter_map(|emitter| {
            let state = emitter.pointer("/certificado/situacao")?.as_str()?;
            let days = emitter.pointer("/certificado/dias_restantes")?.as_i64()?;
            let name = text(emitter, "razao_social");
            match state {
                "vencido" => Some(format!(
                    "O certificado de {name} venceu: as notas dela não podem ser assinadas."
                )),
                "vence_em_breve" => Some(format!("O certificado de {name} vence em {days} dias.")),
                _ => None,
            }
        })
        .collect()
}
