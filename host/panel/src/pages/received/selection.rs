//! That a company knows of many received notes ("ciência da operação"): of those that were
//! marked in the list, each ordered on its own.

use super::{SAID, name, place, read, said};
use crate::form::{Keyed, Sent};
use crate::layout::page;
use crate::pages::companies::Companies;
use crate::pages::document::rejection;
use crate::parts::{alert, done, encoded, hidden, moment, money, reais, table, top, whole};
use crate::reply::plain::plain;
use crate::reply::{Problem, joined, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use api::inside::Reply;
use axum::extract::Query;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse, Redirect, Response};
use base::operations;
use futures::{StreamExt as _, stream};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::HashSet;

pub const HERE: &str = "/painel/recebidas/ciencia";
/// Name of the boxes of the list.
pub const FIELD: &str = "nota";
/// Notes of one order: a page of the list.
const MOST: usize = 25;
/// Notes whose orders are on their way at the same time.
const AT_ONCE: usize = 4;
/// What is said of them, in the word of the API.
const KIND: &str = "ciencia";

/// Whether nothing was said of a note that something may be said of.
pub fn is_open(note: &Value) -> bool {
    note["manifestacao"].is_null() && text(note, "situacao") != "denegada"
}

/// A note as its box of the list carries it: its key, and the company that received it.
pub fn mark(note: &Value) -> String {
    format!("{}:{}", text(note, "chave"), text(note, "emitente_id"))
}

/// A note as an address of this page carries it.
fn marking(note: &Value) -> String {
    format!("{FIELD}={}", encoded(&mark(note)))
}

/// The notes that were marked, each once, as they are now.
async fn marked<'m>(
    visitor: &Visitor,
    marks: impl Iterator<Item = &'m str>,
) -> Result<Vec<Value>, Problem> {
    let mut seen = HashSet::new();
    let marks = marks.filter(|mark| !mark.is_empty() && seen.insert(*mark));
    let marks: Vec<&str> = marks.collect();
    if marks.is_empty() {
        let sentence = "Marque na lista as notas de que a empresa tem ciência.";
        return Err(Problem::new(422, "Nenhuma nota marcada", sentence).back(super::HERE));
    }
    if marks.len() > MOST {
        let sentence = format!("De uma vez vão até {MOST} notas. Marque menos.");
        return Err(Problem::new(422, "Notas demais", &sentence).back(super::HERE));
    }
    let mut notes = Vec::with_capacity(marks.len());
    for mark in marks {
        let (chave, company) = mark.split_once(':').unwrap_or((mark, ""));
        notes.push(read(visitor, chave, company).await?["resumo"].take());
    }
    Ok(notes)
}

/// The notes before something is said of them, or after it was.
pub async fn page_of(
    visitor: Visitor,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Markup, Problem> {
    visitor.must(Action::Documentos)?;
    let marks = pairs.iter().filter(|(name, _)| name == FIELD);
    let notes = marked(&visitor, marks.map(|(_, mark)| mark.trim())).await?;
    let count = |name: &str| {
        let given = pairs.iter().find(|(known, _)| known == name);
        given.and_then(|(_, count)| count.parse::<i64>().ok())
    };
    let told = match (count("feitas"), count("esperam").unwrap_or(0)) {
        (None, _) => None,
        (Some(registered), waiting) => Some(html! {
            @if registered > 0 { (done(&format!("Ciência registrada: {}.", of_notes(registered)))) }
            @if waiting > 0 { (done(&format!("Ainda sem resposta da SEFAZ: {}.", of_notes(waiting)))) }
        }),
    };
    shown(&visitor, &notes, told).await
}

/// `1 nota`, `12 notas`.
fn of_notes(count: i64) -> String {
    match count {
        1 => "1 nota".to_owned(),
        count => format!("{} notas", whole(count)),
    }
}

/// `told`: what came of the form; None: nothing was sent yet.
async fn shown(
    visitor: &Visitor,
    notes: &[Value],
    told: Option<Markup>,
) -> Result<Markup, Problem> {
    let companies = Companies::read(visitor).await?;
    let asking = told.is_none();
    let sentence = if asking {
        "Nada foi enviado ainda."
    } else {
        ""
    };
    Ok(page(
        visitor,
        super::HERE,
        "Ciência da operação",
        html! {
            (top("Ciência da operação", sentence, html! { a class="botao secundario mini" href=(super::HERE) { "Voltar à lista" } }))
            @if let Some(told) = &told { (told) }
            section class="cartao" {
                (table("Notas marcadas", &["Fornecedor", "Empresa", "Valor", "Emitida em", "Manifestação"], html! {
                    @for note in notes {
                        tr {
                            td { a href=(place(visitor, note)) { (name(note)) } }
                            td class="suave" { (companies.name(text(note, "emitente_id"))) }
                            td class="num" { (money(&note["valor"])) }
                            td class="curto" { (moment(text(note, "emitida_em"))) }
                            td { (said(text(note, "manifestacao"))) }
                        }
                    }
                }))
            }
            @if asking { (question(visitor, notes)) }
        },
    ))
}

/// What is said, what it costs, and the form that sends it.
fn question(visitor: &Visitor, notes: &[Value]) -> Markup {
    let open: Vec<&Value> = notes.iter().filter(|note| is_open(note)).collect();
    let meaning = SAID.iter().find(|(word, ..)| *word == KIND);
    let meaning = meaning.map_or("", |(_, _, meaning)| *meaning);
    let credits = operations::get("nfe-entrada.manifestar").and_then(operations::Operation::price);
    let count = i64::try_from(open.len()).unwrap_or(i64::MAX);
    let credits = credits.unwrap_or(0).saturating_mul(count);
    html! {
        section class="cartao" {
            @if open.is_empty() {
                p class="suave" { "Destas notas não se dá ciência: já têm manifestação ou foram denegadas." }
            } @else {
                h2 { "Dar ciência de " (of_notes(count)) }
                p { (meaning) }
                p class="suave pequeno" { "Preço: " (whole(credits)) " créditos (" (reais(credits)) ") por todas; de cada uma só se cobra se a SEFAZ registrar." }
                form class="campos" method="post" action=(HERE) {
                    (hidden(visitor))
                    @for note in &open { input type="hidden" name=(FIELD) value=(mark(note)); }
                    div class="acoes" { button class="botao" { "Enviar a ciência" } }
                }
            }
        }
    }
}

/// What came of a note that was not refused.
#[derive(Clone, Copy)]
enum Said {
    /// Something was said of it before.
    Before,
    Registered,
    /// SEFAZ has not answered yet.
    Waits,
}

impl Said {
    fn words(self) -> &'static str {
        match self {
            Said::Before => "Já tem manifestação.",
            Said::Registered => "Ciência registrada.",
            Said::Waits => "Enviada, ainda sem resposta.",
        }
    }
}

/// A note that was ordered, and what came of it; Err: why it was refused.
type Ordered = (Value, Result<Said, String>);

/// Says it of each; those that were refused are named, and the others go.
pub async fn say(Keyed(sent): Keyed) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Documentos)?;
    let notes = marked(visitor, sent.fields.all(FIELD).into_iter()).await?;
    let orders = stream::iter(notes).map(|note| one(&sent, note));
    // Whatever fails, orders that are on their way end, and stand in the audit.
    let ended: Vec<Result<Ordered, Problem>> = orders.buffered(AT_ONCE).collect().await;
    let results = ended.into_iter().collect::<Result<Vec<_>, _>>()?;
    if results.iter().any(|(_, said)| said.is_err()) {
        let now = marked(visitor, sent.fields.all(FIELD).into_iter()).await?;
        let page = shown(visitor, &now, Some(outcome(visitor, &results))).await?;
        return Ok(page.into_response());
    }
    let marks: Vec<String> = results.iter().map(|(note, _)| marking(note)).collect();
    let waiting = results
        .iter()
        .filter(|(_, said)| matches!(said, Ok(Said::Waits)));
    let waiting = waiting.count();
    let to = format!(
        "{HERE}?ambiente={}&{}&feitas={}&esperam={waiting}",
        visitor.ambiente(),
        marks.join("&"),
        results.len() - waiting
    );
    Ok(Redirect::to(&to).into_response())
}

/// Says it of one note.
async fn one(sent: &Sent, note: Value) -> Result<Ordered, Problem> {
    if !is_open(&note) {
        return Ok((note, Ok(Said::Before)));
    }
    let reply = order(sent, &note).await?;
    if !reply.ok() {
        return Ok((note, Err(why(&reply))));
    }
    let (visitor, chave) = (&sent.visitor, text(&note, "chave"));
    visitor.note("recebida.manifestada", chave, KIND).await?;
    let said = match reply.status {
        202 => Said::Waits,
        _ => Said::Registered,
    };
    Ok((note, Ok(said)))
}

/// Orders it of one note, once for this form.
async fn order(sent: &Sent, note: &Value) -> Result<Reply, Problem> {
    let mut headers = HeaderMap::new();
    // Each note has a key of its own: the operation's keys do not know which note a call is
    // about.
    let key = format!("painel-{}-{}", sent.token(), text(note, "id"));
    if let Ok(key) = HeaderValue::from_str(&key) {
        headers.insert("idempotency-key", key);
    }
    let body = json!({
        "chave": text(note, "chave"), "emitente_id": text(note, "emitente_id"), "tipo": KIND,
    });
    let (visitor, path) = (&sent.visitor, "/api/v1/nfe-entrada/manifestar");
    let asked = visitor.ask_with(headers, Method::POST, path, Some(&body));
    asked.await
}

/// Why it was refused, without what only programs need.
fn why(reply: &Reply) -> String {
    let body = reply.json();
    if let Some(said) = rejection(&body) {
        return said;
    }
    let said = ["mensagem", "dica"].map(|name| plain(text(&body, name)));
    let said = joined(said.iter().flatten().map(String::as_str));
    match said.is_empty() {
        true => "O pedido não foi aceito.".to_owned(),
        false => said,
    }
}

/// What came of each note, and the way to try again those that were refused, by a form of
/// its own: the keys of this one keep their refusals.
fn outcome(visitor: &Visitor, results: &[Ordered]) -> Markup {
    let refused = results.iter().filter(|(_, said)| said.is_err());
    let refused: Vec<String> = refused.map(|(note, _)| marking(note)).collect();
    let again = format!(
        "{HERE}?ambiente={}&{}",
        visitor.ambiente(),
        refused.join("&")
    );
    html! {
        (alert("Nem todas foram registradas:"))
        section class="cartao" {
            h2 { "Resultado" }
            (table("Resultado", &["Fornecedor", "Chave", "Resultado"], html! {
                @for (note, said) in results {
                    tr {
                        td { (name(note)) }
                        td class="mono" { (text(note, "chave")) }
                        td class="texto" { @match said { Ok(said) => { (said.words()) } Err(why) => { (why) } } }
                    }
                }
            }))
            p class="acoes" { a class="botao secundario" href=(again) { "Tentar de novo as que faltam" } }
        }
    }
}
