//! Exports: a ZIP with the XML and PDF of a period, which the hub makes in the
//! background.

use super::filters::{ENVIRONMENT, KINDS, PERIODS, days, environments_counted, file_period, trial};
use crate::Panel;
use crate::form::hidden_of;
use crate::form::{Fields, Keyed};
use crate::layout::page;
use crate::pages::companies::Companies;
use crate::parts::{
    day, encoded, field, line, moment, select, size, stat, status, table, top, whole,
};
use crate::reply::{Problem, attached, refusal, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base::when;
use futures::stream;
use maud::{Markup, html};
use objects::exports::{self, ExportOrder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use store::tables::exportacoes::{self, ExportRow, ExportStatus};
use store::words::Ambiente;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

const HERE: &str = "/painel/exportacoes";
/// Bytes of a file that are read at a time.
const CHUNK: usize = 64 * 1_024;
/// Kinds that an export takes.
const EXPORTED: [&str; 3] = ["nfe", "nfce", "nfse"];

/// Why an export is of one environment.
const ENVIRONMENT_HINT: &str =
    "Notas de homologação não têm valor fiscal: nunca vão junto com as de produção.";

/// Exports that are listed.
const LISTED: i64 = 20;

/// Whether an export takes this kind of documents; empty: all that it takes.
pub fn takes(kind: &str) -> bool {
    kind.is_empty() || EXPORTED.contains(&kind)
}

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(form).post(ask))
        .route("/painel/exportacoes/{id}", get(one))
        .route("/painel/exportacoes/{id}/arquivo", get(file))
}

async fn form(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let mut fields = Fields::default();
    for name in ["de", "ate", "emitente", "tipo", ENVIRONMENT] {
        if let Some(value) = query.get(name).filter(|value| !value.is_empty()) {
            fields.set(name, value.as_str());
        }
    }
    // Without a period that of this month, which most people want.
    if let Some((from, until)) = days("mes", when::today(visitor.panel.app.now_ms(), "DF"))
        && fields.get("de").is_empty()
        && fields.get("ate").is_empty()
    {
        fields.set("de", from.to_string());
        fields.set("ate", until.to_string());
    }
    shown(&visitor, &fields, html! {}).await
}

async fn shown(visitor: &Visitor, fields: &Fields, note: Markup) -> Result<Markup, Problem> {
    let companies = Companies::read(visitor).await?;
    let names = companies.options("Todos");
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let sent = fields.has("csrf");
    let kinds = KINDS.iter().filter(|(word, ..)| EXPORTED.contains(word));
    let only = fields.get("tipo");
    let chosen = |word: &str| {
        only.is_empty() || only == word || (sent && fields.all("tipo").contains(&word))
    };
    let today = when::today(visitor.panel.app.now_ms(), "DF");
    let latest = latest(visitor, &companies).await?;
    Ok(page(
        visitor,
        "/painel/documentos",
        "Exportar documentos",
        html! {
            (top("Exportar documentos", "Um ZIP com os arquivos de um período e a lista deles (manifesto.csv). Notas recebidas e faixas inutilizadas vão junto; CT-e, MDF-e, rascunhos e o que foi rejeitado ou ainda não tem resposta ficam de fora.", html! {
                a class="botao secundario mini" href="/painel/documentos" { "Voltar à lista" }
            }))
            (note)
            section class="cartao" {
                nav class="atalhos" aria-label="Período" {
                    @for (word, name) in PERIODS {
                        @if let Some((from, until)) = days(word, today) {
                            a href=(format!("{HERE}?de={from}&ate={until}&emitente={}&tipo={}&{ENVIRONMENT}={}", encoded(fields.get("emitente")), encoded(only), encoded(fields.get(ENVIRONMENT)))) { (name) }
                        }
                    }
                }
                @if visitor.may(Action::Documentos) {
                    form class="campos" method="post" action=(HERE) {
                        (hidden_of(visitor, fields))
                        div class="filtros" {
                            (field("de", "Primeiro dia", "", line("de", "date", fields.get("de"))))
                            (field("ate", "Último dia", "", line("ate", "date", fields.get("ate"))))
                        }
                        (field("emitente", "Emitente", "", select("emitente", &names, fields.get("emitente"))))
                        (field(ENVIRONMENT, "Ambiente das notas", ENVIRONMENT_HINT, select(ENVIRONMENT, &environments_counted(visitor.live()), fields.get(ENVIRONMENT))))
                        fieldset {
                            legend { "Documentos" }
                            div class="opcoes" {
                                @for (word, name, _) in kinds {
                                    label { input type="checkbox" name="tipo" value=(word) checked[chosen(word)]; (name) }
                                }
                            }
                        }
                        fieldset {
                            legend { "Arquivos" }
                            div class="opcoes" {
                                // Both cost nothing, and whoever exports wants both.
                                @for (word, name) in [("xml", "XML"), ("pdf", "PDF")] {
                                    label { input type="checkbox" name="conteudo" value=(word) checked[!sent || fields.all("conteudo").contains(&word)]; (name) }
                                }
                            }
                        }
                        div { button class="botao" { "Exportar" } }
                    }
                } @else {
                    p class="suave" { "O seu papel nesta conta não exporta documentos." }
                }
            }
            (latest)
        },
    ))
}

/// The account's newest exports in the world of the page, so that whoever closed the page
/// of one finds it again.
async fn latest(visitor: &Visitor, companies: &Companies) -> Result<Markup, Problem> {
    let app = &visitor.panel.app;
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let test = i64::from(!visitor.live());
    let rows = exportacoes::latest(&mut conn, account, test, LISTED).await;
    drop(conn);
    let rows = rows.map_err(anyhow::Error::from)?;
    if rows.is_empty() {
        return Ok(html! {});
    }
    let world = visitor.ambiente();
    let head = ["Período", "Documentos", "Emitente", "Situação", "Pedida em"];
    let mut lines = Vec::with_capacity(rows.len());
    for row in &rows {
        let order: ExportOrder = serde_json::from_str(&row.pedido).map_err(anyhow::Error::from)?;
        lines.push(html! {
            tr {
                td { a href=(format!("{HERE}/{}?ambiente={world}", encoded(row.id.as_str()))) { (period(&order)) } }
                td { (kinds(&order)) @if order.ambiente == Some(Ambiente::Homologacao) { ", de homologação" } div class="suave pequeno" { (files_of(&order)) } }
                td { (match row.emitter_id.as_str() { "" => "Todos", id => companies.name(id) }) }
                td { (status(exports::status(app, row).as_str())) }
                td class="curto" { (moment(&when::rfc3339(row.created_at_ms))) }
            }
        });
    }
    Ok(html! {
        section class="cartao" {
            h2 { "Últimas exportações" }
            (table("Últimas exportações", &head, html! { @for line in &lines { (line) } }))
        }
    })
}

/// The days of an export; of one that was asked for by moments, the days of these.
fn period(order: &ExportOrder) -> String {
    let asked = &order.periodo;
    let of = |given: &str, ms: i64| match given {
        "" => day(&when::today(ms, "DF").to_string()),
        given => day(given),
    };
    let first = of(&asked.from_day, asked.from_ms);
    // The end of a period is the moment behind it.
    let last = of(&asked.to_day, asked.to_ms - 1);
    match first == last {
        true => first,
        false => format!("{first} a {last}"),
    }
}

/// Kinds of documents of an export.
fn kinds(order: &ExportOrder) -> String {
    let names = KINDS.iter().filter(|(word, ..)| EXPORTED.contains(word));
    let chosen = names.zip(order.modelos).filter(|(_, taken)| *taken);
    let chosen: Vec<&str> = chosen.map(|((_, name, _), _)| *name).collect();
    chosen.join(", ")
}

/// Files of an export.
fn files_of(order: &ExportOrder) -> &'static str {
    match (order.xml, order.pdf) {
        (true, true) => "XML e PDF",
        (false, true) => "PDF",
        _ => "XML",
    }
}

async fn ask(Keyed(sent): Keyed) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Documentos)?;
    let kinds = fields.all("tipo");
    let models: Vec<&str> = KINDS
        .iter()
        .filter(|(word, ..)| kinds.contains(word))
        .map(|(_, _, model)| *model)
        .collect();
    let mut body = json!({
        "de": fields.get("de"), "ate": fields.get("ate"), "conteudo": fields.all("conteudo"), "modelos": models,
    });
    if !fields.get("emitente").is_empty() {
        body["emitente_id"] = fields.get("emitente").into();
    }
    if !fields.get(ENVIRONMENT).is_empty() {
        body["ambiente"] = fields.get(ENVIRONMENT).into();
    }
    let reply = sent
        .ask(Method::POST, "/api/v1/documentos/exportar", Some(&body))
        .await?;
    let answer = reply.json();
    if !reply.ok() {
        let running = text(&answer, "exportacao_id");
        let note = html! {
            (refusal(&reply))
            @if !running.is_empty() { p { a href=(format!("{HERE}/{}", encoded(running))) { "Ver a exportação em andamento" } } }
        };
        let page = shown(visitor, fields, note).await?;
        return Ok((status_of(&reply), page).into_response());
    }
    let id = text(&answer, "exportacao_id");
    visitor.note("documento.exportado", id, "").await?;
    let to = format!("{HERE}/{}?ambiente={}", encoded(id), visitor.ambiente());
    Ok(Redirect::to(&to).into_response())
}

async fn one(visitor: Visitor, Path(id): Path<String>) -> Result<Markup, Problem> {
    let export = visitor
        .subject(&format!("/api/v1/documentos/exportacoes/{}", encoded(&id)))
        .await?;
    let state = text(&export, "status");
    let number = |at: &str| export.pointer(at).and_then(Value::as_i64).unwrap_or(0);
    let absent = export["ausentes"].as_array().map_or(&[][..], Vec::as_slice);
    let ready = !text(&export, "url").is_empty();
    let address = |part: &str| {
        format!(
            "{HERE}/{}{part}?ambiente={}",
            encoded(&id),
            visitor.ambiente()
        )
    };
    let (here, link) = (address(""), address("/arquivo"));
    Ok(page(
        &visitor,
        "/painel/documentos",
        "Exportação",
        html! {
            div id="exportacao" data-atualiza=[(state == "processando").then_some("2000")] {
                (top("Exportação", "", html! { (status(state)) a class="botao secundario mini" href=(HERE) { "Nova exportação" } }))
                div class="grade" {
                    (stat("Documentos", &whole(number("/progresso/feitos")), html! { div class="rotulo" { "de " (whole(number("/progresso/total"))) } }))
                    @if state == "pronta" {
                        (stat("Tamanho", &size(number("/bytes")), html! {}))
                    }
                }
                section class="cartao" {
                    @if !ready {
                        @match state {
                            "processando" => p { "O arquivo está sendo feito. Pode fechar esta página e voltar depois, pela lista de " a href=(HERE) { "últimas exportações" } ". " a href=(here) { "Atualizar" } },
                            "expirada" => p { "O arquivo não está mais guardado. Peça a exportação de novo." },
                            _ => p { "A exportação falhou. Peça de novo; se continuar, fale com o suporte." },
                        }
                    } @else {
                        p class="acoes" { a class="botao" href=(link) { "Baixar o ZIP" } }
                        p class="suave pequeno" { "Rascunhos e notas rejeitadas não entram no arquivo, nem as que ainda não tinham resposta: " a href="/painel/documentos?status=aberta" { "ver as que esperam" } "." }
                        dl class="fatos" {
                            dt { "Pode ser baixado até" } dd { (moment(text(&export, "expira_em"))) }
                            dt { "Para conferir o arquivo (SHA-256)" } dd class="mono" { (text(&export, "sha256")) }
                        }
                    }
                }
                @if !absent.is_empty() {
                    section class="cartao" {
                        h2 { "Não entraram no arquivo" }
                        (table("Não entraram no arquivo", &["Chave", "Motivo"], html! {
                            @for one in absent { tr { td class="mono" { (text(one, "chave")) } td { (absent_for(text(one, "motivo"))) } } }
                        }))
                    }
                }
            }
        },
    ))
}

/// Why a document is not in the file.
fn absent_for(word: &str) -> &str {
    match word {
        "sem_xml" => "O XML não está guardado.",
        "hash_divergente" => "O arquivo guardado não é mais o que a autoridade entregou.",
        other => other,
    }
}

/// The ZIP, by a name that tells its period and company; that of the API's link has its id.
async fn file(visitor: Visitor, Path(id): Path<String>) -> Result<Response, Problem> {
    let app = &visitor.panel.app;
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let found = exportacoes::get(&mut conn, account, &id.as_str().into()).await;
    drop(conn);
    // Each world sees its own exports, as the operations do.
    let found = found.map_err(anyhow::Error::from)?.filter(|row| {
        (row.teste == 1) != visitor.live() && exports::status(app, row) == ExportStatus::Ready
    });
    let Some(row) = found else {
        let sentence = "O arquivo não está guardado. Peça a exportação de novo.";
        return Err(Problem::new(404, "Arquivo não encontrado", sentence).back(HERE));
    };
    let companies = Companies::read(&visitor).await?;
    let name = file_name(&row, &companies)?;
    let file = File::open(exports::file(app, &row)).await;
    let file = file.map_err(anyhow::Error::from)?;
    let chunks = stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok::<_, io::Error>((read > 0).then(|| (Bytes::from(chunk), file)))
    });
    let length = [(header::CONTENT_LENGTH, row.bytes.to_string())];
    let body = (length, Body::from_stream(chunks));
    Ok(attached("application/zip", &name, body))
}

/// `notas-2026-11.zip`, with the company it is limited to; whoever keeps it beside one
/// without fiscal value, `notas-teste-2026-11.zip`, tells them apart.
fn file_name(row: &ExportRow, companies: &Companies) -> Result<String, Problem> {
    let order: ExportOrder = serde_json::from_str(&row.pedido).map_err(anyhow::Error::from)?;
    let days = &order.periodo;
    let period = file_period(&days.from_day, &days.to_day, row.created_at_ms);
    let company = companies.file_end(row.emitter_id.as_str());
    let trial = trial(row.teste == 0, order.ambiente.map_or("", Ambiente::as_str));
    Ok(format!("notas-{trial}{period}{company}.zip"))
}
