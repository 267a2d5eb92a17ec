//! What was issued and received in a period, by company, kind and state: on a page and as
//! a spreadsheet.

use super::companies::Companies;
use super::documents::filters::{
    ENVIRONMENT, PERIODS, days, environment, environments_counted, file_period, trial,
};
use super::documents::spreadsheet::{amount, begin};
use super::listing::{items, kind};
use crate::Panel;
use crate::form::fields::framed;
use crate::form::wrong::Wrongs;
use crate::layout::page;
use crate::parts::{
    empty, encoded, field, line, money, select, stat, state, status, table, top, whole,
};
use crate::reply::{CSV, Problem, attached, refusal, text};
use crate::visitor::Visitor;
use accounts::opening::left_out;
use axum::Router;
use axum::extract::Query;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base::when;
use maud::{Markup, html};
use objects::sheet::cells;
use rust_decimal::Decimal;
use serde_json::Value;
use std::collections::BTreeMap;
use store::tables::recebidas::{self, ReceivedSumRow};
use store::words::{Ambiente, Maybe};
use time::{Date, Duration};

const HERE: &str = "/painel/relatorio";
/// What received notes are called beside the kinds that are issued.
const RECEIVED: &str = "NF-e recebida";
/// Columns of the spreadsheet.
const HEAD: [&str; 8] = [
    "Empresa",
    "CNPJ",
    "Tipo",
    "Situação",
    "Documentos",
    "Valor",
    "De",
    "Até",
];
/// The hint of a month that is chosen, and what to say of one that cannot be shown.
const MONTH: &str = "Ano e mês, como 2026-11.";
const NO_MONTH: &str = "Escreva ano e mês, como 2026-11, até o mês atual.";
const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

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
    /// The environment that is counted; empty: that of a total of the world.
    environment: String,
    /// Name of the period, where it has one.
    period: String,
    /// The month as it was written, and what is wrong with it.
    month: String,
    wrong: Wrongs,
}

impl Asked {
    fn read(query: &BTreeMap<String, String>, live: bool, today: Date) -> Asked {
        let given = |name: &str| query.get(name).map_or("", |value| value.trim()).to_owned();
        let (mut from, mut until) = (given("de"), given("ate"));
        let (mut period, month) = (String::new(), given("mes"));
        let mut wrong = Wrongs::default();
        if from.is_empty() && until.is_empty() {
            let chosen = chosen(&month, today).map(|days| (String::new(), days));
            if chosen.is_none() && !month.is_empty() {
                wrong.add("mes", NO_MONTH);
            }
            let named = given("periodo");
            let known = || days(&named, today).map(|days| (named.clone(), days));
            let present = || days("mes", today).map(|days| ("mes".to_owned(), days));
            if let Some((name, (first, last))) = chosen.or_else(known).or_else(present) {
                (from, until, period) = (first.to_string(), last.to_string(), name);
            }
        }
        Asked {
            from,
            until,
            company: given("emitente"),
            environment: environment(live, &given(ENVIRONMENT)).to_owned(),
            period,
            month,
            wrong,
        }
    }

    fn api(&self) -> String {
        let mut path = "/api/v1/documentos/resumo?agrupar=emitente".to_owned();
        for (name, value) in [
            ("de", &self.from),
            ("ate", &self.until),
            ("emitente_id", &self.company),
            ("ambiente", &self.environment),
        ] {
            if !value.is_empty() {
                path.push_str(&format!("&{name}={}", encoded(value)));
            }
        }
        path
    }

    fn address(&self) -> String {
        format!(
            "de={}&ate={}&{}",
            encoded(&self.from),
            encoded(&self.until),
            self.whose()
        )
    }

    /// What is not the period, as a query of the panel's address.
    fn whose(&self) -> String {
        let company = format!("emitente={}", encoded(&self.company));
        match self.environment.as_str() {
            "" => company,
            chosen => format!("{company}&{ENVIRONMENT}={}", encoded(chosen)),
        }
    }

    /// The same of another environment, as an address of the panel.
    fn in_environment(&self, word: &str) -> String {
        let (from, until) = (encoded(&self.from), encoded(&self.until));
        let company = encoded(&self.company);
        format!("{HERE}?de={from}&ate={until}&emitente={company}&{ENVIRONMENT}={word}")
    }
}

/// The first day of the month behind that of a day.
fn next_month(day: Date) -> Option<Date> {
    // Every month has a day 28, and four days later it is over.
    let behind = day.replace_day(28).ok()?.checked_add(Duration::days(4))?;
    behind.replace_day(1).ok()
}

/// First and last day of a month that was chosen, `2026-11` or `11/2026`: of the present one
/// those that were; None for one that is still to come.
fn chosen(month: &str, today: Date) -> Option<(Date, Date)> {
    let (year, month) = match month.split_once('/') {
        Some((month, year)) => (year, month),
        None => month.split_once('-')?,
    };
    let first = when::parse_date(&format!("{year}-{month:0>2}-01"))?;
    let last = next_month(first)?.previous_day()?;
    (first <= today).then(|| (first, last.min(today)))
}

/// `2026-11`, as addresses and inputs have a month.
fn month_word(day: Date) -> String {
    format!("{}-{:02}", day.year(), u8::from(day.month()))
}

/// `novembro de 2026`.
fn month_name(day: Date) -> String {
    let name = MONTHS.get(usize::from(u8::from(day.month())) - 1);
    format!("{} de {}", name.unwrap_or(&""), day.year())
}

/// The ways to the months before and behind the one the period begins in, and to any other.
fn months(asked: &Asked, today: Date) -> Markup {
    let Some(first) = when::parse_date(&asked.from).and_then(|day| day.replace_day(1).ok()) else {
        return html! {};
    };
    let before = first.previous_day();
    let behind = next_month(first).filter(|day| *day <= today);
    let to = |day: Date| format!("{HERE}?mes={}&{}", month_word(day), asked.whose());
    let wrong = &asked.wrong;
    let written = match wrong.is_empty() {
        true => month_word(first),
        false => asked.month.clone(),
    };
    html! {
        nav class="atalhos" aria-label="Mês" {
            @if let Some(day) = before { a href=(to(day)) rel="prev" { "‹ " (month_name(day)) } }
            @if let Some(day) = behind { a href=(to(day)) rel="next" { (month_name(day)) " ›" } }
        }
        form class="filtros" method="get" action=(HERE) {
            @if !asked.company.is_empty() { input type="hidden" name="emitente" value=(asked.company); }
            @if !asked.environment.is_empty() { input type="hidden" name=(ENVIRONMENT) value=(asked.environment); }
            (framed(wrong, "", "mes", "Mês", MONTH, html! {
                input id="mes" name="mes" type="month" value=(written) max=(month_word(today)) aria-invalid=[wrong.invalid("mes")] aria-describedby=[wrong.described("mes", MONTH)] autofocus[wrong.focus("mes")];
            }))
            button class="botao secundario" { "Ver o mês" }
        }
    }
}

/// The period of an answer in moments of arrival.
fn moments(answer: &Value) -> Option<(i64, i64)> {
    let day = |name: &str| when::parse_date(text(&answer["periodo"], name));
    let behind = day("ate")?.next_day()?;
    Some((when::brasilia(day("de")?), when::brasilia(behind)))
}

/// What companies received in the period of an answer; nothing where it has none, because
/// it is a refusal.
async fn received(
    visitor: &Visitor,
    asked: &Asked,
    answer: &Value,
) -> Result<Vec<ReceivedSumRow>, Problem> {
    let Some(period) = moments(answer) else {
        return Ok(Vec::new());
    };
    let account = &visitor.session.row.account_id;
    // Of the environment that the answer counted; null: all that the world has.
    let counted: Option<Ambiente> =
        serde_json::from_value(answer["ambiente"].clone()).map_err(anyhow::Error::from)?;
    let left_out = left_out(!visitor.live(), counted);
    let company = Maybe::of(&asked.company);
    let mut conn = visitor.read().await?;
    let sums = recebidas::sum_by_emitter(&mut conn, account, left_out, period, &company).await;
    Ok(sums.map_err(anyhow::Error::from)?)
}

/// Cents as reais.
fn of_cents(cents: i64) -> Decimal {
    Decimal::new(cents, 2)
}

async fn report(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Response, Problem> {
    let today = when::today(visitor.panel.app.now_ms(), "DF");
    let asked = Asked::read(&query, visitor.live(), today);
    let companies = Companies::read(&visitor).await?;
    let reply = visitor.ask(Method::GET, &asked.api(), None).await?;
    let answer = reply.json();
    let sums = items(&answer);
    let received = received(&visitor, &asked, &answer).await?;
    let taken: i64 = received.iter().map(|sum| sum.notas).sum();
    let paid: i64 = received.iter().map(|sum| sum.centavos).sum();
    let wrong = !asked.wrong.is_empty();
    let none = wrong || (sums.is_empty() && received.is_empty());
    let names = companies.options("Todos");
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let issued = total(sums, |state| matches!(state, "autorizada" | "validada"));
    let cancelled = total(sums, |state| state == "cancelada");
    let refused = total(sums, |state| state == "rejeitada");
    let page = page(
        &visitor,
        HERE,
        "Relatório",
        html! {
            (top("Relatório", "O que chegou ao hub no período, por empresa, tipo e situação.", html! {
                @if !none { a class="botao secundario" href=(format!("/painel/relatorio/csv?{}", asked.address())) { "Baixar planilha (CSV)" } }
            }))
            nav class="atalhos" aria-label="Período" {
                @for (word, name) in PERIODS {
                    a href=(format!("{HERE}?periodo={word}&{}", asked.whose())) aria-current=[(asked.period == word).then_some("true")] { (name) }
                }
            }
            (months(&asked, today))
            form class="filtros" method="get" action=(HERE) {
                (field("de", "De", "", line("de", "date", &asked.from)))
                (field("ate", "Até", "", line("ate", "date", &asked.until)))
                @if companies.several() { (field("emitente", "Emitente", "", select("emitente", &names, &asked.company))) }
                (field(ENVIRONMENT, "Ambiente da nota", "", select(ENVIRONMENT, &environments_counted(visitor.live()), &asked.environment)))
                button class="botao secundario" { "Mostrar" }
            }
            @if wrong { (asked.wrong.above(None)) } @else if !reply.ok() { (refusal(&reply)) } @else {
                @if visitor.live() { (without_fiscal_value(text(&answer, "ambiente"), &asked)) }
                div class="grade" {
                    (stat("Autorizados", &whole(issued.0), html! { div class="rotulo" { (reais(issued.1)) } }))
                    (stat("Cancelados", &whole(cancelled.0), html! { div class="rotulo" { (reais(cancelled.1)) } }))
                    (stat("Rejeitados", &whole(refused.0), html! { div class="rotulo" { (reais(refused.1)) } }))
                    (stat("Recebidas", &whole(taken), html! { div class="rotulo" { (reais(of_cents(paid))) } }))
                }
                section class="cartao" {
                    @if none { (empty("barras", "Nenhum documento neste período.", html! {})) }
                    @else { (rows(&answer, &received, &companies, &asked)) }
                }
            }
        },
    );
    let status = match wrong {
        true => StatusCode::UNPROCESSABLE_ENTITY,
        false => StatusCode::OK,
    };
    Ok((status, page).into_response())
}

/// That the sum is of one environment, and the way to the other. `counted`: the one.
fn without_fiscal_value(counted: &str, asked: &Asked) -> Markup {
    html! {
        p class="suave" {
            @if counted == "homologacao" {
                "Estas são as notas de homologação, que não têm valor fiscal. "
                a href=(asked.in_environment("producao")) { "Ver as de produção" }
            } @else {
                "Notas de homologação não têm valor fiscal e não entram na soma. "
                a href=(asked.in_environment("homologacao")) { "Ver as de homologação" }
            }
        }
    }
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

fn rows(
    answer: &Value,
    received: &[ReceivedSumRow],
    companies: &Companies,
    asked: &Asked,
) -> Markup {
    let sums = items(answer);
    let place = match text(answer, "ambiente") {
        "" => String::new(),
        counted => format!("&{ENVIRONMENT}={counted}"),
    };
    table(
        "Relatório",
        &["Empresa", "Tipo", "Situação", "Documentos", "Valor"],
        html! {
            @for sum in sums {
                @let word = word_of(text(sum, "modelo"));
                @let company = text(sum, "grupo");
                tr {
                    td { (companies.name(company)) }
                    td { (kind(text(sum, "modelo"))) }
                    td { (status(text(sum, "status"))) }
                    td class="num" { a href=(format!("/painel/documentos?tipo={word}&status={}&emitente={}&de={}&ate={}{place}", text(sum, "status").replace("validada", "autorizada"), encoded(company), encoded(&asked.from), encoded(&asked.until))) { (whole(sum["documentos"].as_i64().unwrap_or(0))) } }
                    td class="num" { (money(&sum["valor_total"])) }
                }
            }
            @for sum in received {
                tr {
                    td { (companies.name(sum.emitter_id.as_str())) }
                    td { (RECEIVED) }
                    td { (status("autorizada")) }
                    td class="num" { a href=(format!("/painel/recebidas?empresa={}&de={}&ate={}{place}", encoded(sum.emitter_id.as_str()), encoded(&asked.from), encoded(&asked.until))) { (whole(sum.notas)) } }
                    td class="num" { (reais(of_cents(sum.centavos))) }
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
    let asked = Asked::read(&query, visitor.live(), today);
    if !asked.wrong.is_empty() {
        return Err(Problem::new(422, "Mês não entendido", NO_MONTH).back(HERE));
    }
    let companies = Companies::read(&visitor).await?;
    let answer = visitor.get(&asked.api()).await?;
    let received = received(&visitor, &asked, &answer).await?;
    let mut out = begin(&HEAD);
    let mut write = |company: &str, kind: &str, state: &str, count: String, value: &Value| {
        let known = companies.get(company);
        let cnpj = known.map(|one| crate::parts::cnpj(&one.cnpj));
        out.push_str(&cells(&[
            companies.name(company),
            &cnpj.unwrap_or_default(),
            kind,
            state,
            &count,
            &amount(value),
            &crate::parts::day(&asked.from),
            &crate::parts::day(&asked.until),
        ]));
    };
    for sum in items(&answer) {
        let (kind, state) = (kind(text(sum, "modelo")), state(text(sum, "status")));
        let count = sum["documentos"].to_string();
        write(text(sum, "grupo"), kind, &state, count, &sum["valor_total"]);
    }
    for sum in &received {
        let (company, count) = (sum.emitter_id.as_str(), sum.notas.to_string());
        let value = Value::from(of_cents(sum.centavos).to_string());
        write(company, RECEIVED, "autorizada", count, &value);
    }
    let name = format!(
        "relatorio-{}{}{}.csv",
        trial(visitor.live(), &asked.environment),
        file_period(&asked.from, &asked.until, visitor.panel.app.now_ms()),
        companies.file_end(&asked.company)
    );
    Ok(attached(CSV, &name, out))
}
