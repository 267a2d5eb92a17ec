//! The overview: what was issued, what is refused or waits, what needs a hand,
//! and how long the credits last.

use super::authorizers;
use super::chart::{drawn, numbers};
use super::companies::{self, DAY_MS};
use super::document::rejection;
use super::documents::filters::ENVIRONMENT;
use super::listing::{items, kind, link, other_party, rows, state, value_of};
use crate::Panel;
use crate::door::reminder;
use crate::layout::page;
use crate::pages::usage;
use crate::parts::{
    done, empty, encoded, icon, issue, moment, money, reais, stat, table, top, whole,
};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::opening::unseen;
use axum::Router;
use axum::extract::Query;
use axum::http::Method;
use axum::routing::get;
use base::when;
use maud::{Markup, html};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use serde_json::Value;
use std::collections::BTreeMap;
use store::tables::certificates::DueRow;
use store::tables::stuck;
use time::Date;

/// Documents of each short list.
const SHORT: usize = 5;
/// States of documents that wait for their authority.
const OPEN: [&str; 2] = ["em_transmissao", "pendente_prefeitura"];
/// From here on a note that waits is marked: by then an authority that works has answered.
const STUCK_MS: i64 = 3_600_000;
const HOUR_MS: i64 = 3_600_000;
/// Said of sums of both worlds: the usage tells no world apart.
const ACCOUNT: &str = "da conta toda: Teste e Produção";
/// Days whose spending says what the present use is.
const PRESENT: usize = 7;

pub fn router() -> Router<Panel> {
    Router::new().route("/painel", get(overview))
}

/// What the overview shows, as it was read.
struct Found {
    credits: Value,
    emitters: Value,
    due: Vec<DueRow>,
    days: Vec<usage::Day>,
    /// First day of the period that is counted.
    from: String,
    issued: Vec<Day>,
    latest: Vec<Value>,
    refused: Vec<Value>,
    waiting: Vec<Value>,
    authorizers: Vec<Value>,
}

/// What was issued on a day.
struct Day {
    label: String,
    documents: i64,
    /// Cents.
    value: i64,
}

async fn list(visitor: &Visitor, query: &str) -> Result<Vec<Value>, Problem> {
    let path = format!("/api/v1/documentos?{query}");
    Ok(items(&visitor.get(&path).await?).to_vec())
}

/// Documents of the summary's period in some states. They are few among many, so
/// they are looked for only where the summary has some.
async fn few(
    visitor: &Visitor,
    summary: &Value,
    states: &[&str],
    order: &str,
) -> Result<Vec<Value>, Problem> {
    let sums = items(summary);
    if !sums.iter().any(|sum| states.contains(&text(sum, "status"))) {
        return Ok(Vec::new());
    }
    let query = format!(
        "limite={SHORT}&de={}&status={}&ordem={order}{}",
        encoded(text(&summary["periodo"], "de")),
        states.join(","),
        match text(summary, "ambiente") {
            "" => String::new(),
            counted => format!("&ambiente={counted}"),
        }
    );
    list(visitor, &query).await
}

/// Documents of which nothing is known yet, the oldest first, however old: those that wait
/// longest are those to look at. They are found by what is open, not along the list.
async fn open(visitor: &Visitor) -> Result<Vec<Value>, Problem> {
    let account = &visitor.session.row.account_id;
    let limit = i64::try_from(SHORT).unwrap_or(i64::MAX);
    let mut conn = visitor.read().await?;
    let rows = stuck::of_account(&mut conn, account, unseen(!visitor.live()), limit).await;
    drop(conn);
    let mut documents = Vec::with_capacity(SHORT);
    for row in rows.map_err(anyhow::Error::from)? {
        let path = format!("/api/v1/documentos/{}", encoded(row.id.as_str()));
        let reply = visitor.ask(Method::GET, &path, None).await?;
        // It may have been answered in between.
        let document = reply.json();
        if reply.ok() && OPEN.contains(&text(&document, "status")) {
            documents.push(document);
        }
    }
    Ok(documents)
}

async fn read(visitor: &Visitor) -> Result<Found, Problem> {
    let summary = visitor.get("/api/v1/documentos/resumo").await?;
    Ok(Found {
        credits: visitor.get("/api/v1/creditos").await?,
        emitters: visitor.get("/api/v1/emitters?limite=100").await?,
        due: companies::due(visitor).await?,
        days: usage::series(&visitor.get("/api/v1/usage?agrupar=dia").await?),
        from: text(&summary["periodo"], "de").to_owned(),
        issued: days(&summary),
        latest: list(visitor, &format!("limite={}", SHORT + 1)).await?,
        refused: few(visitor, &summary, &["rejeitada"], "-criada_em").await?,
        waiting: open(visitor).await?,
        authorizers: authorizers::known(visitor).await?,
    })
}

async fn overview(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let found = read(&visitor).await?;
    let begun = !items(&found.emitters).is_empty();
    Ok(page(
        &visitor,
        "/painel",
        "Visão geral",
        html! {
            (top("Visão geral", "Os últimos 30 dias.", html! {
                a class="botao" href=(issue(&visitor)) { (icon("mais")) "Emitir uma nota" }
            }))
            @if query.contains_key("bem-vindo") {
                (done("Conta criada. Comece emitindo uma nota de teste: não é preciso certificado, e nada é cobrado."))
            }
            @if query.contains_key("confirmacao") { (done("Enviamos outro link; olhe a sua caixa de entrada.")) }
            (reminder(&visitor))
            (ending(&found.due, visitor.panel.app.now_ms()))
            @for one in authorizers::down(&found.authorizers, items(&found.emitters)) { div class="aviso-caixa aviso" { p { "SEFAZ " (one) ". As notas dessa UF esperam ou são recusadas sem custo; tente de novo em alguns minutos." } } }
            (numbers_of(&found))
            @if visitor.live() {
                p class="suave" {
                    "Notas de homologação não têm valor fiscal e não entram na soma nem em Rejeitados. "
                    a href=(format!("/painel/documentos?{ENVIRONMENT}=homologacao&de={}", encoded(&found.from))) { "Ver as de homologação" }
                }
            }
            @if !begun || found.latest.is_empty() { (first_steps(&visitor, begun)) }
            (waiting(&visitor, &found.waiting))
            (refused(&visitor, &found.refused))
            (issued(&found.issued))
            @if !found.latest.is_empty() {
                section class="cartao" {
                    div class="cabeca" { h2 { "Últimos documentos" } a class="pequeno" href="/painel/documentos" { "Ver todos" } }
                    (rows(&visitor, &found.latest))
                }
            }
            section class="cartao" {
                div class="cabeca" { h2 { "SEFAZ por UF" } a class="pequeno" href="/painel/autorizadores" { "Ver a lista" } }
                (authorizers::board(&found.authorizers))
            }
        },
    ))
}

fn numbers_of(found: &Found) -> Markup {
    let number = |name: &str| found.credits[name].as_i64().unwrap_or(0);
    let (balance, held) = (number("disponivel"), number("reservado"));
    let documents: i64 = found.issued.iter().map(|day| day.documents).sum();
    let value: i64 = found.issued.iter().map(|day| day.value).sum();
    let asked: i64 = found.days.iter().map(|day| day.calls).sum();
    let spent: i64 = found.days.iter().map(|day| day.spent).sum();
    html! {
        div class="grade" {
            (stat("Emitidos", &whole(documents), html! { div class="rotulo" { (reais(value)) } }))
            (stat("Saldo", &reais(balance), html! {
                div class="rotulo" { (whole(balance)) " créditos" @if held > 0 { ", " (whole(held)) " reservados" } }
                div class="rotulo" { (lasts(balance, &found.days)) }
            }))
            (stat("Gasto", &reais(spent), html! { div class="rotulo" { (ACCOUNT) } a class="pequeno" href="/painel/creditos" { "Ver o extrato" } }))
            (stat("Chamadas", &whole(asked), html! { div class="rotulo" { (ACCOUNT) } a class="pequeno" href="/painel/uso" { "Ver o uso" } }))
        }
    }
}

/// How long a balance lasts at the use of the last days.
fn lasts(balance: i64, days: &[usage::Day]) -> String {
    let recent: i64 = days.iter().rev().take(PRESENT).map(|day| day.spent).sum();
    let present = i64::try_from(PRESENT).unwrap_or(1);
    if recent == 0 {
        return "sem gasto nos últimos 7 dias".to_owned();
    }
    match balance.max(0) * present / recent {
        0 => "acaba hoje, neste ritmo".to_owned(),
        1 => "dura 1 dia neste ritmo".to_owned(),
        left @ 2..=365 => format!("dura {left} dias neste ritmo"),
        _ => "dura mais de um ano neste ritmo".to_owned(),
    }
}

/// Every day of a summary's period, with what was issued on it.
fn days(summary: &Value) -> Vec<Day> {
    let day = |name: &str| when::parse_date(text(&summary["periodo"], name));
    let (Some(from), Some(until)) = (day("de"), day("ate")) else {
        return Vec::new();
    };
    let mut known: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    let issued = items(summary)
        .iter()
        .filter(|sum| matches!(text(sum, "status"), "autorizada" | "validada"));
    for sum in issued {
        let entry = known.entry(text(sum, "grupo")).or_default();
        entry.0 += sum["documentos"].as_i64().unwrap_or(0);
        entry.1 += cents(&sum["valor_total"]);
    }
    std::iter::successors(Some(from), |day: &Date| day.next_day())
        .take_while(|day| *day <= until)
        .map(|day| {
            let (documents, value) = known
                .get(day.to_string().as_str())
                .copied()
                .unwrap_or_default();
            Day {
                label: format!("{:02}/{:02}", day.day(), u8::from(day.month())),
                documents,
                value,
            }
        })
        .collect()
}

fn cents(value: &Value) -> i64 {
    let amount: Option<Decimal> = value.to_string().parse().ok();
    let cents = amount.and_then(|amount| (amount * Decimal::ONE_HUNDRED).to_i64());
    cents.unwrap_or(0)
}

/// Documents and value by day.
fn issued(days: &[Day]) -> Markup {
    let counts: Vec<(String, i64)> = days
        .iter()
        .map(|day| (day.label.clone(), day.documents))
        .collect();
    let values: Vec<(String, i64)> = days
        .iter()
        .map(|day| (day.label.clone(), day.value))
        .collect();
    let any = days.iter().any(|day| day.documents > 0);
    let say = |count: i64| match count {
        1 => "1 documento".to_owned(),
        count => format!("{} documentos", whole(count)),
    };
    html! {
        section class="cartao" {
            div class="cabeca" { h2 { "Emitidos por dia" } a class="pequeno" href="/painel/relatorio" { "Ver o relatório" } }
            @if any {
                div class="grade larga" {
                    div { h3 { "Documentos" } (drawn("Documentos por dia", &counts, &say, &whole)) }
                    div { h3 { "Valor" } (drawn("Valor por dia", &values, &reais, &short)) }
                }
                (numbers("Emitidos por dia", &["Dia", "Documentos", "Valor"], html! {
                    @for day in days.iter().rev().filter(|day| day.documents > 0) {
                        tr { td { (day.label) } td class="num" { (whole(day.documents)) } td class="num" { (reais(day.value)) } }
                    }
                }))
            } @else { (empty("barras", "Os documentos autorizados de cada dia aparecem aqui.", html! {})) }
        }
    }
}

/// An amount of cents for an axis: without cents, in thousands or millions.
fn short(cents: i64) -> String {
    match cents / 100 {
        reais @ 0..10_000 => format!("R$ {}", whole(reais)),
        reais @ 10_000..1_000_000 => format!("R$ {} mil", whole(reais / 1_000)),
        reais => format!("R$ {} mi", whole(reais / 1_000_000)),
    }
}

/// Documents of which nothing is known yet, the oldest first, with what to do.
fn waiting(visitor: &Visitor, documents: &[Value]) -> Markup {
    html! {
        @if !documents.is_empty() {
            section class="cartao" {
                div class="cabeca" { h2 { "À espera de resposta" } a class="pequeno" href="/painel/documentos?status=aberta&ordem=criada_em" { "Ver todos" } }
                (table("À espera de resposta", &["Documento", "Destinatário", "Situação", "Desde", "O que fazer"], html! {
                    @for document in documents {
                        tr {
                            td { (link(visitor, document)) }
                            td { (other_party(document)) }
                            td { (state(visitor, document)) @if let Some(words) = stopped(document, visitor.panel.app.now_ms()) { " " span class="selo erro" { (words) } } }
                            td class="curto" { (moment(text(document, "criada_em"))) }
                            td class="texto" { (advice(document)) }
                        }
                    }
                }))
            }
        }
    }
}

/// How long a document waits, where it is longer than it should be.
fn stopped(document: &Value, now_ms: i64) -> Option<String> {
    let made = when::ms(when::parse(text(document, "criada_em"))?);
    let ms = now_ms - made;
    if ms < STUCK_MS {
        return None;
    }
    let word = match text(document, "modelo") {
        "57" | "58" => "Parado",
        _ => "Parada",
    };
    let long = match (ms / DAY_MS, ms / HOUR_MS) {
        (0, 1) => "1 hora".to_owned(),
        (0 | 1, hours) => format!("{hours} horas"),
        (days, _) => format!("{days} dias"),
    };
    Some(format!("{word} há {long}"))
}

/// What to do about a document that waits.
fn advice(document: &Value) -> String {
    let held = &document["impedimento"];
    if held.is_object() {
        return format!("{} {}", text(held, "mensagem"), text(held, "dica"));
    }
    match text(document, "status") {
        "pendente_prefeitura" => {
            "Aguarde: a prefeitura processa a nota, e o hub pergunta por ela.".to_owned()
        }
        _ => "Aguarde: o hub consulta a autoridade sozinho. Não emita outra no lugar.".to_owned(),
    }
}

/// Refused documents with the reasons.
fn refused(visitor: &Visitor, documents: &[Value]) -> Markup {
    html! {
        @if !documents.is_empty() {
            section class="cartao" {
                div class="cabeca" { h2 { "Rejeitados" } a class="pequeno" href="/painel/documentos?status=rejeitada" { "Ver todos" } }
                (table("Rejeitados", &["Documento", "Destinatário", "Valor", "Quando", "Por quê"], html! {
                    @for document in documents {
                        tr {
                            td { (link(visitor, document)) }
                            td { (other_party(document)) }
                            td class="num" { (money(value_of(document))) }
                            td class="curto" { (moment(text(document, "criada_em"))) }
                            td class="texto" { (rejection(document).unwrap_or_else(|| format!("A página da {} diz.", kind(text(document, "modelo"))))) }
                        }
                    }
                }))
            }
        }
    }
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

/// Certificates that end soon or have ended, the first each with the way to mend it, and how
/// many others there are.
fn ending(due: &[DueRow], now_ms: i64) -> Markup {
    let others = due.len().saturating_sub(SHORT);
    html! {
        @for row in due.iter().take(SHORT) {
            div class="aviso-caixa aviso" {
                p { (said(row, now_ms)) " " a href=(format!("/painel/emitentes/{}", encoded(row.emitter_id.as_str()))) { "Trocar o certificado" } }
            }
        }
        @if others > 0 {
            div class="aviso-caixa aviso" {
                p {
                    @if others == 1 { "Mais um certificado venceu ou vence em até 30 dias." }
                    @else { "Mais " (others) " certificados venceram ou vencem em até 30 dias." }
                    " " a href="/painel/emitentes?certificado=vence" { "Ver todos" }
                }
            }
        }
    }
}

fn said(row: &DueRow, now_ms: i64) -> String {
    let name = &row.razao_social;
    let left_ms = row.valido_ate_ms - now_ms;
    match left_ms.div_euclid(DAY_MS) {
        ..0 => format!("O certificado de {name} venceu: as notas dela não podem ser assinadas."),
        0 => format!("O certificado de {name} vence em menos de 1 dia."),
        1 => format!("O certificado de {name} vence em 1 dia."),
        days => format!("O certificado de {name} vence em {days} dias."),
    }
}
