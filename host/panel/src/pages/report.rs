//! What was issued in a period, by company, kind and state: on a page and as a
//! spreadsheet.

use super::companies::Companies;
use super::documents::filters::{PERIODS, days, file_period};
use super::documents::spreadsheet::{amount, begin, cells, sent};
use super::listing::{items, kind};
use crate::Panel;
use crate::layout::page;
use crate::parts::{
    empty, encoded, field, line, money, select, stat, state, status, table, top, whole,
};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use axum::Router;
use axum::body::Bytes;
use axum::extract::Query;
use axum::http::Method;
use axum::response::Response;
use axum::routing::get;
use base::when;
use futures::stream;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::Value;
use std::collections::BTreeMap;
use time::Date;

const HERE: &str = "/painel/relatorio";

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(report))
        .route("/painel/relatorio/csv", get(download))
}

/// The period of a report and the company it is of.
struct Asked {
    from: String,
    until: String,
    company: String,
    /// Name of the period, where it has one.
    period: String,
}

impl Asked {
    fn read(query: &BTreeMap<String, String>, today: Date) -> Asked {
        let given = |name: &str| query.get(name).map_or("", |value| value.trim()).to_owned();
        let (mut from, mut until) = (given("de"), given("ate"));
        let mut period = String::new();
        if from.is_empty() && until.is_empty() {
            let named = given("periodo");
            let known = days(&named, today).map(|days| (named, days));
            let month = || days("mes", today).map(|days| ("mes".to_owned(), days));
            if let Some((name, (first, last))) = known.or_else(month) {
                (from, until, period) = (first.to_string(), last.to_string(), name);
            }
        }
        Asked {
            from,
            until,
            company: given("emitente"),
            period,
        }
    }

    fn api(&self) -> String {
        let mut path = "/api/v1/documentos/resumo?agrupar=emitente".to_owned();
        for (name, value) in [
            ("de", &self.from),
            ("ate", &self.until),
            ("emitente_id", &self.company),
        ] {
            if !value.is_empty() {
                path.push_str(&format!("&{name}={}", encoded(value)));
            }
        }
        path
    }

    fn address(&self) -> String {
        format!(
            "de={}&ate={}&emitente={}",
            encoded(&self.from),
            encoded(&self.until),
            encoded(&self.company)
        )
    }
}

async fn report(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let today = when::today(visitor.panel.app.now_ms(), "DF");
    let asked = Asked::read(&query, today);
    let companies = Companies::read(&visitor).await?;
    let reply = visitor.ask(Method::GET, &asked.api(), None).await?;
    let answer = reply.json();
    let sums = items(&answer);
    let names = companies.options("Todos");
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let issued = total(sums, |state| matches!(state, "autorizada" | "validada"));
    let cancelled = total(sums, |state| state == "cancelada");
    let refused = total(sums, |state| state == "rejeitada");
    Ok(page(
        &visitor,
        HERE,
        "Relatório",
        html! {
            (top("Relatório", "O que chegou ao hub no período, por emitente, tipo e situação.", html! {
                @if !sums.is_empty() { a class="botao secundario" href=(format!("/painel/relatorio/csv?{}", asked.address())) { "Baixar planilha (CSV)" } }
            }))
            nav class="atalhos" aria-label="Período" {
                @for (word, name) in PERIODS {
                    a href=(format!("{HERE}?periodo={word}&emitente={}", encoded(&asked.company))) aria-current=[(asked.period == word).then_some("true")] { (name) }
                }
            }
            form class="filtros" method="get" action=(HERE) {
                (field("de", "De", "", line("de", "date", &asked.from)))
                (field("ate", "Até", "", line("ate", "date", &asked.until)))
                @if companies.several() { (field("emitente", "Emitente", "", select("emitente", &names, &asked.company))) }
                button class="botao secundario" { "Mostrar" }
            }
            @if !reply.ok() { (refusal(&reply)) } @else {
                div class="grade" {
                    (stat("Autorizados", &whole(issued.0), html! { div class="rotulo" { (reais(issued.1)) } }))
                    (stat("Cancelados", &whole(cancelled.0), html! { div class="rotulo" { (reais(cancelled.1)) } }))
                    (stat("Rejeitados", &whole(refused.0), html! { div class="rotulo" { (reais(refused.1)) } }))
                }
                section class="cartao" {
                    @if sums.is_empty() { (empty("barras", "Nenhum documento neste período.", html! {})) }
                    @else { (rows(sums, &companies, &asked)) }
                }
            }
        },
    ))
}

/// Count and value of the sums in some states.
fn total(sums: &[Value], state: impl Fn(&str) -> bool) -> (i64, Decimal) {
    let those = sums.iter().filter(|sum| state(text(sum, "status")));
    those.fold((0, Decimal::ZERO), |(count, value), sum| {
        let more: Option<Decimal> = sum["valor_total"].to_string().parse().ok();
        (
            count + sum["documentos"].as_i64().unwrap_or(0),
            value + more.unwrap_or_default(),
        )
    })
}

fn reais(amount: Decimal) -> String {
    money(&Value::from(amount.to_string()))
}

fn rows(sums: &[Value], companies: &Companies, asked: &Asked) -> Markup {
    table(
        "Relatório",
        &["Emitente", "Tipo", "Situação", "Documentos", "Valor"],
        html! {
            @for sum in sums {
                @let word = word_of(text(sum, "modelo"));
                @let company = text(sum, "grupo");
                tr {
                    td { (companies.name(company)) }
                    td { (kind(text(sum, "modelo"))) }
                    td { (status(text(sum, "status"))) }
                    td class="num" { a href=(format!("/painel/documentos?tipo={word}&status={}&emitente={}&de={}&ate={}", text(sum, "status").replace("validada", "autorizada"), encoded(company), encoded(&asked.from), encoded(&asked.until))) { (whole(sum["documentos"].as_i64().unwrap_or(0))) } }
                    td class="num" { (money(&sum["valor_total"])) }
                }
            }
        },
    )
}

/// The word of a model in addresses of the panel.
fn word_of(model: &str) -> &'static str {
    let known = super::documents::filters::KINDS
        .iter()
        .find(|(_, _, known)| *known == model);
    known.map_or("", |(word, ..)| word)
}

async fn download(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Response, Problem> {
    let today = when::today(visitor.panel.app.now_ms(), "DF");
    let asked = Asked::read(&query, today);
    let companies = Companies::read(&visitor).await?;
    let answer = visitor.get(&asked.api()).await?;
    let head = [
        "Emitente",
        "CNPJ",
        "Tipo",
        "Situação",
        "Documentos",
        "Valor",
        "De",
        "Até",
    ];
    let mut out = begin(&head);
    for sum in items(&answer) {
        let company = text(sum, "grupo");
        let cnpj = companies
            .get(company)
            .map(|one| crate::parts::cnpj(&one.cnpj));
        out.push_str(&cells(&[
            companies.name(company),
            &cnpj.unwrap_or_default(),
            kind(text(sum, "modelo")),
            &state(text(sum, "status")),
            &sum["documentos"].to_string(),
            &amount(&sum["valor_total"]),
            &asked.from,
            &asked.until,
        ]));
    }
    let name = format!(
        "relatorio-{}{}.csv",
        file_period(&asked.from, &asked.until),
        companies.file_end(&asked.company)
    );
    Ok(sent(&name, stream::iter([Ok(Bytes::from(out))])))
}
