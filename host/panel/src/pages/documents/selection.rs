//! Documents that were chosen in the list: their files in one ZIP, and their
//! e-mails.

use super::HERE;
use super::filters::trial;
use crate::Panel;
use crate::form::hidden_of;
use crate::form::{Fields, Keyed};
use crate::layout::page;
use crate::pages::document::files::{self, File};
use crate::pages::listing::{rows, title};
use crate::parts::{alert, done, encoded, field, icon, top};
use crate::reply::{Problem, attached, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use api::inside::Reply;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse, Redirect, Response};
use base::when;
use maud::{Markup, html};
use objects::zip::write::Zip;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use time::{Date, OffsetDateTime};

/// Documents of one selection: four pages of the list.
const MOST: usize = 100;
/// Mails of one form: those of a minute of an account's rate.
const MAILS: usize = 25;

/// The ids of a selection, each once.
fn chosen<'i>(ids: impl Iterator<Item = &'i str>) -> Result<Vec<String>, Problem> {
    let mut seen = HashSet::new();
    let ids: Vec<String> = ids
        .filter(|id| !id.is_empty() && seen.insert(*id))
        .map(str::to_owned)
        .collect();
    if ids.is_empty() {
        let sentence = "Marque na lista os documentos que quer baixar ou enviar.";
        return Err(Problem::new(422, "Nenhum documento marcado", sentence).back(HERE));
    }
    if ids.len() > MOST {
        let sentence = format!("Uma seleção tem até {MOST} documentos. Marque menos.");
        return Err(Problem::new(422, "Documentos demais", &sentence).back(HERE));
    }
    Ok(ids)
}

fn of_query(pairs: &[(String, String)]) -> Result<Vec<String>, Problem> {
    let ids = pairs.iter().filter(|(name, _)| name == "id");
    chosen(ids.map(|(_, id)| id.trim()))
}

/// The documents, as they are now.
async fn documents(visitor: &Visitor, ids: &[String]) -> Result<Vec<Value>, Problem> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.push(
            visitor
                .get(&format!("/api/v1/documentos/{}", encoded(id)))
                .await?,
        );
    }
    Ok(found)
}

pub async fn page_of(
    visitor: Visitor,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Markup, Problem> {
    let ids = of_query(&pairs)?;
    let sent = pairs.iter().find(|(name, _)| name == "enviados");
    let note = match sent.and_then(|(_, count)| count.parse::<i64>().ok()) {
        Some(count) => done(&format!(
            "{} na fila. A página de cada documento diz quando o e-mail sair.",
            if count == 1 {
                "1 e-mail está".to_owned()
            } else {
                format!("{count} e-mails estão")
            }
        )),
        None => html! {},
    };
    shown(&visitor, &ids, &Fields::default(), note).await
}

async fn shown(
    visitor: &Visitor,
    ids: &[String],
    fields: &Fields,
    note: Markup,
) -> Result<Markup, Problem> {
    let documents = documents(visitor, ids).await?;
    let with_files = documents.iter().filter(|one| files::exist(one)).count();
    let mail = visitor.may(Action::Documentos) && visitor.panel.app.config.mail.on();
    let query = query(ids, visitor);
    let place = |file: &str| format!("/painel/documentos/selecionados/{file}?{query}");
    let count = match documents.len() {
        1 => "1 documento".to_owned(),
        count => format!("{count} documentos"),
    };
    Ok(page(
        visitor,
        HERE,
        "Selecionados",
        html! {
            (top("Selecionados", &count, html! { a class="botao secundario mini" href=(HERE) { "Voltar à lista" } }))
            (note)
            section class="cartao" {
                h2 { "Arquivos" }
                @if with_files == 0 {
                    p class="suave" { "Nenhum destes documentos tem arquivos: eles existem depois da autorização." }
                } @else {
                    @if with_files < documents.len() { p class="suave" { (documents.len() - with_files) " sem arquivos, porque não foram autorizados, ficam de fora." } }
                    p class="acoes" {
                        a class="botao" href=(place("pdf")) { "Baixar os PDF (ZIP)" }
                        a class="botao secundario" href=(place("xml")) { "Baixar os XML (ZIP)" }
                    }
                }
            }
            section class="cartao" { (rows(visitor, &documents)) }
            @if mail && with_files > 0 {
                section class="cartao" {
                    h2 { "Enviar por e-mail" }
                    @if with_files > MAILS {
                        p class="suave" { "De uma vez saem os e-mails de até " (MAILS) " documentos. Marque menos." }
                    } @else {
                        form class="campos" method="post" action="/painel/documentos/selecionados/email" data-confirma=(format!("Enviar {with_files} e-mails?")) {
                            (hidden_of(visitor, fields))
                            @for id in ids { input type="hidden" name="id" value=(id); }
                            (field("para", "Para", "Vazio: cada documento vai ao e-mail do seu destinatário. Vários endereços: separados por espaço.", html! {
                                input id="para" name="para" inputmode="email" value=(fields.get("para")) aria-describedby="para-dica";
                            }))
                            div { button class="botao secundario" { (icon("carta")) "Enviar XML e PDF" } }
                        }
                    }
                }
            }
        },
    ))
}

fn query(ids: &[String], visitor: &Visitor) -> String {
    let ids: Vec<String> = ids.iter().map(|id| format!("id={}", encoded(id))).collect();
    format!("ambiente={}&{}", visitor.ambiente(), ids.join("&"))
}

/// The day of Brasília of a moment.
fn day(at: OffsetDateTime) -> Date {
    when::local(when::ms(at), "DF").date()
}

/// The months of some days, as names of files have them: `2026-11`, or the first and the
/// last of them.
fn months(days: &BTreeSet<Date>) -> String {
    let month = |day: &Date| format!("{}-{:02}", day.year(), u8::from(day.month()));
    let (first, last) = (days.first().map(month), days.last().map(month));
    match (first, last) {
        (Some(first), Some(last)) if first != last => format!("{first}-a-{last}"),
        (Some(month), _) | (None, Some(month)) => month,
        (None, None) => String::new(),
    }
}

/// Folder of a ZIP for documents without fiscal value, where others are beside them.
const WITHOUT_FISCAL_VALUE: &str = "sem-valor-fiscal/";

/// Whether a document is of produção. What is simulated says that it is of homologação.
fn taxed(document: &Value) -> bool {
    text(document, "ambiente") == "producao"
}

/// The environment of all of some documents, as names of files tell it; empty where they
/// are what is counted in the world.
fn environment(visitor: &Visitor, documents: &[Value]) -> &'static str {
    let simulated = documents.iter().any(|one| one["simulada"] == true);
    if documents.iter().any(taxed) || (simulated && !visitor.live()) {
        return "";
    }
    "homologacao"
}

/// The files of all of them in one ZIP; those without fiscal value in a folder of their own.
pub async fn files(
    visitor: Visitor,
    State(panel): State<Panel>,
    Path(file): Path<String>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let ids = of_query(&pairs)?;
    let file = File::of(&file).ok_or_else(files::unknown)?;
    let now_ms = panel.app.now_ms();
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    let mut days = BTreeSet::new();
    let mut documents = documents(&visitor, &ids).await?;
    documents.retain(files::exist);
    let mixed = documents.iter().any(taxed) && !documents.iter().all(taxed);
    for document in &documents {
        let bytes = files::read(&visitor, document, file).await?;
        let folder = if mixed && !taxed(document) {
            WITHOUT_FISCAL_VALUE
        } else {
            ""
        };
        let mut name = format!("{folder}{}", files::name(document, file));
        if found.iter().any(|(known, _)| *known == name) {
            name = format!("{folder}{}", files::exact_name(document, file));
        }
        days.extend(when::parse(text(document, "criada_em")).map(day));
        found.push((name, bytes));
    }
    if found.is_empty() {
        let sentence = "Os arquivos existem depois da autorização.";
        return Err(Problem::new(422, "Nenhum arquivo", sentence).back(HERE));
    }
    let packed = tokio::task::spawn_blocking(move || {
        let mut zip = Zip::new(Vec::new());
        for (name, bytes) in &found {
            if !zip.has(name) {
                zip.add(name, bytes, when::utc(now_ms))?;
            }
        }
        zip.finish().map(|done| done.to)
    });
    let packed = packed
        .await
        .map_err(anyhow::Error::from)?
        .map_err(anyhow::Error::from)?;
    let trial = trial(visitor.live(), environment(&visitor, &documents));
    let name = format!("notas-{}-{trial}{}.zip", file.word(), months(&days));
    Ok(attached("application/zip", &name, packed))
}

/// Sends each of them; those that cannot be sent are named, and the others go.
pub async fn email(Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Documentos)?;
    let ids = chosen(fields.all("id").into_iter())?;
    if ids.len() > MAILS {
        let sentence = format!("De uma vez saem os e-mails de até {MAILS} documentos.");
        return Err(Problem::new(422, "Documentos demais", &sentence).back(HERE));
    }
    let to = files::addresses(fields.get("para"));
    let body = match to.is_empty() {
        true => json!({}),
        false => json!({ "para": to }),
    };
    let (mut mails, mut refused) = (0, Vec::new());
    for document in documents(visitor, &ids).await? {
        let id = text(&document, "nota_id");
        let reply = send(visitor, sent.token(), id, &body).await?;
        if reply.ok() {
            mails += reply.json()["destinatarios"].as_i64().unwrap_or(0);
            visitor.note("documento.email", id, "").await?;
        } else {
            refused.push((title(&document), reply));
        }
    }
    if !refused.is_empty() {
        let page = shown(visitor, &ids, fields, not_sent(mails, &refused)).await?;
        return Ok(page.into_response());
    }
    let place = format!(
        "/painel/documentos/selecionados?{}&enviados={mails}",
        query(&ids, visitor)
    );
    Ok(Redirect::to(&place).into_response())
}

/// Sends one of them, once for this form.
async fn send(visitor: &Visitor, token: &str, id: &str, body: &Value) -> Result<Reply, Problem> {
    let mut headers = HeaderMap::new();
    // Each document has a key of its own: the operation's keys do not know which
    // document a call is about.
    if let Ok(key) = HeaderValue::from_str(&format!("painel-{token}-{id}")) {
        headers.insert("idempotency-key", key);
    }
    let path = format!("/api/v1/documentos/{}/email", encoded(id));
    visitor
        .ask_with(headers, Method::POST, &path, Some(body))
        .await
}

fn not_sent(mails: i64, refused: &[(String, Reply)]) -> Markup {
    html! {
        @if mails > 0 { (done(&format!("{mails} na fila."))) }
        (alert("Não foram enviados, e podem ser enviados de novo por este formulário:"))
        ul class="simples" {
            @for (title, reply) in refused {
                @let body = reply.json();
                li { strong { (title) } ": " (text(&body, "mensagem")) " " (text(&body, "dica"))
                    @for wrong in body["campos"].as_array().into_iter().flatten() { " " (text(wrong, "mensagem")) }
                }
            }
        }
    }
}
