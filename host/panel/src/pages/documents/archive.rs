//! Exports: a ZIP with the XML and PDF of a period, which the hub makes in the
//! background.

use super::filters::{KINDS, PERIODS, days};
use crate::Panel;
use crate::form::{Fields, Keyed};
use crate::layout::page;
use crate::pages::companies::Companies;
use crate::parts::{
    encoded, field, hidden_of, line, moment, select, size, stat, status, table, top, whole,
};
use crate::reply::{Problem, refusal, status_of, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use base::when;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const HERE: &str = "/painel/exportacoes";
/// Kinds that an export takes.
const EXPORTED: [&str; 3] = ["nfe", "nfce", "nfse"];

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(form).post(ask))
        .route("/painel/exportacoes/{id}", get(one))
}

async fn form(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let mut fields = Fields::default();
    for name in ["de", "ate", "emitente", "tipo"] {
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
    Ok(page(
        visitor,
        "/painel/documentos",
        "Exportar documentos",
        html! {
            (top("Exportar documentos", "Um ZIP com os arquivos de um período e um manifesto. Notas recebidas e faixas inutilizadas vão junto; CT-e, MDF-e, rascunhos e o que foi rejeitado ou ainda não tem resposta ficam de fora.", html! {
                a class="botao secundario mini" href="/painel/documentos" { "Voltar à lista" }
            }))
            (note)
            section class="cartao" {
                nav class="atalhos" aria-label="Período" {
                    @for (word, name) in PERIODS {
                        @if let Some((from, until)) = days(word, today) {
                            a href=(format!("{HERE}?de={from}&ate={until}&emitente={}&tipo={}", encoded(fields.get("emitente")), encoded(only))) { (name) }
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
                                label { input type="checkbox" name="conteudo" value="xml" checked[!sent || fields.all("conteudo").contains(&"xml")]; "XML" }
                                label { input type="checkbox" name="conteudo" value="pdf" checked[fields.all("conteudo").contains(&"pdf")]; "PDF" }
                            }
                        }
                        div { button class="botao" { "Exportar" } }
                    }
                } @else {
                    p class="suave" { "O seu papel nesta conta não exporta documentos." }
                }
            }
        },
    ))
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
    // The link is of the hub's address; the page may have been asked at another.
    let link = text(&export, "url");
    let link = link.find("/api/").map_or(link, |at| &link[at..]);
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
                        (stat("Tamanho", &size(number("/bytes")), html! { div class="rotulo" { "até " (moment(text(&export, "expira_em"))) } }))
                    }
                }
                section class="cartao" {
                    @if link.is_empty() {
                        @match state {
                            "processando" => p { "O arquivo está sendo feito. Esta página se atualiza sozinha; pode fechá-la e voltar depois." },
                            "expirada" => p { "O arquivo não está mais guardado. Peça a exportação de novo." },
                            _ => p { "A exportação falhou. Peça de novo; se continuar, fale com o suporte." },
                        }
                    } @else {
                        p class="acoes" { a class="botao" href=(link) { "Baixar o ZIP" } }
                        p class="suave pequeno" { "Rascunhos e notas rejeitadas não entram no arquivo, nem as que ainda não tinham resposta: " a href="/painel/documentos?status=aberta" { "ver as que esperam" } "." }
                        p class="suave pequeno" { "O link vale até " (moment(text(&export, "expira_em"))) ". SHA-256: " span class="mono quebra" { (text(&export, "sha256")) } }
                    }
                }
                @if !absent.is_empty() {
                    section class="cartao" {
                        h2 { "Não entraram no arquivo" }
                        (table("Não entraram no arquivo", &["Chave", "Motivo"], html! {
                            @for one in absent { tr { td class="mono" { (text(one, "chave")) } td { (text(one, "motivo").replace('_', " ")) } } }
                        }))
                    }
                }
            }
        },
    ))
}
