//! Documents of all kinds: the list with its filters, what is made of a list
//! (spreadsheet, files of a selection, exports of a period).

mod archive;
pub mod filters;
mod selection;
pub mod spreadsheet;

use self::filters::{ENVIRONMENT, Filters, KINDS, ORDERS, PERIODS, STATES, environments};
use super::companies::Companies;
use super::listing::{self, items, other_party, recipient_id, state, title, value_of};
use crate::Panel;
use crate::layout::page;
use crate::parts::{
    self, empty, encoded, field, field_of, icon, issue, line, moment, money, select, table, top,
};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use axum::Router;
use axum::extract::Query;
use axum::http::Method;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

const HERE: &str = "/painel/documentos";
/// Documents of a page.
const ROWS: usize = 25;

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(list))
        .route("/painel/documentos/csv", get(spreadsheet::download))
        .route("/painel/documentos/selecionados", get(selection::page_of))
        .route(
            "/painel/documentos/selecionados/{arquivo}",
            get(selection::files),
        )
        .route(
            "/painel/documentos/selecionados/email",
            post(selection::email),
        )
        .merge(archive::router())
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let filters = Filters::read(&query, visitor.live(), visitor.panel.app.now_ms());
    let companies = Companies::read(&visitor).await?;
    let cursor = query.get("cursor").map_or("", |cursor| cursor.trim());
    let mut path = format!("/api/v1/documentos?limite={ROWS}");
    for part in [filters.api(), next(cursor)] {
        if !part.is_empty() {
            path.push('&');
            path.push_str(&part);
        }
    }
    let reply = visitor.ask(Method::GET, &path, None).await?;
    let answer = reply.json();
    let shown = html! {
        (top("Documentos", "NF-e, NFC-e, NFS-e, CT-e e MDF-e desta conta, em uma lista só.", html! {
            a class="botao" href=(issue(&visitor)) { (icon("mais")) "Emitir" }
        }))
        (form(&visitor, &filters, &companies))
        @if !reply.ok() { (refusal(&reply)) }
        section class="cartao" {
            @if items(&answer).is_empty() { (nothing(&visitor, &filters)) } @else {
                (tools(&filters))
                form method="get" action="/painel/documentos/selecionados" {
                    input type="hidden" name="ambiente" value=(visitor.ambiente());
                    (rows(&visitor, &companies, items(&answer)))
                    div class="selecao" {
                        label class="marcar" data-so-script { input type="checkbox" data-marca="id"; "Selecionar todos desta página" }
                        button class="botao secundario mini" { (if visitor.panel.app.config.mail.on() { "PDF, XML ou e-mail dos selecionados" } else { "PDF e XML dos selecionados" }) }
                    }
                }
                (pager(&filters, cursor, &answer))
            }
        }
    };
    Ok(page(&visitor, HERE, "Documentos", shown))
}

/// The query of the page behind a cursor.
fn next(cursor: &str) -> String {
    match cursor {
        "" => String::new(),
        cursor => format!("cursor={}", encoded(cursor)),
    }
}

fn form(visitor: &Visitor, filters: &Filters, companies: &Companies) -> Markup {
    let places: Vec<(&str, &str)> = std::iter::once(("", "Todos"))
        .chain(environments(visitor.live()))
        .collect();
    let kinds: Vec<(&str, &str)> = std::iter::once(("", "Todos"))
        .chain(KINDS.iter().map(|(word, name, _)| (*word, *name)))
        .collect();
    let states: Vec<(&str, &str)> = std::iter::once(("", "Todas"))
        .chain(STATES.iter().map(|(word, name, _)| (*word, *name)))
        .collect();
    let names = companies.options("Todos");
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let (from, until) = filters.period();
    let input = |name: &'static str, keyboard: &str| {
        html! { input id=(name) name=(name) type="text" inputmode=(keyboard) value=(filters.get(name)); }
    };
    html! {
        form class="busca" method="get" action=(HERE) role="search" {
            div class="procura" {
                label class="so-leitor" for="q" { "Procurar documentos" }
                input id="q" name="q" type="search" maxlength="60" value=(filters.get("q")) placeholder="Chave, número, cliente ou valor" autocomplete="off" aria-describedby="q-dica";
                button class="botao secundario" { "Procurar" }
            }
            p class="dica" id="q-dica" { "Procura por chave, número, cliente (nome, CPF ou CNPJ), valor ou referência." }
            div class="filtros" {
                (field("tipo", "Tipo", "", select("tipo", &kinds, filters.get("tipo"))))
                (field("status", "Situação", "", select("status", &states, filters.get("status"))))
                @if companies.several() { (field("emitente", "Emitente", "", select("emitente", &names, filters.get("emitente")))) }
                (field("de", "De", "", line("de", "date", from)))
                (field("ate", "Até", "", line("ate", "date", until)))
                (field(ENVIRONMENT, "Ambiente da nota", "", select(ENVIRONMENT, &places, filters.get(ENVIRONMENT))))
                (field("ordem", "Ordem", "", select("ordem", &ORDERS, filters.get("ordem"))))
            }
            details class="mais" open[filters.more()] {
                summary { "Mais filtros" }
                div class="filtros" {
                    (field("numero", "Número", "", input("numero", "numeric")))
                    (field("serie", "Série", "", input("serie", "text")))
                    (field("destinatario", "CPF ou CNPJ do destinatário", "", input("destinatario", "text")))
                    (field("nome", "Nome do destinatário", "", input("nome", "text")))
                    (field("valor_min", "Valor de (R$)", "", input("valor_min", "decimal")))
                    (field("valor_max", "Valor até (R$)", "", input("valor_max", "decimal")))
                    (field_of("longo", "chave", "Chave de acesso", "", input("chave", "text")))
                }
            }
            div class="acoes" {
                button class="botao secundario" { "Filtrar" }
                @if filters.any() { a class="botao secundario" href=(HERE) { "Limpar" } }
                (periods(filters))
            }
        }
    }
}

/// The periods that have a name, each a link that keeps the other filters.
fn periods(filters: &Filters) -> Markup {
    html! {
        nav class="atalhos" aria-label="Período" {
            @for (word, name) in PERIODS {
                a href=(format!("{HERE}?{}", filters.with("periodo", word))) aria-current=[(filters.get("periodo") == word).then_some("true")] { (name) }
            }
        }
    }
}

/// What can be made of the whole list.
fn tools(filters: &Filters) -> Markup {
    let query = filters.address();
    let csv = match query.as_str() {
        "" => "/painel/documentos/csv".to_owned(),
        query => format!("/painel/documentos/csv?{query}"),
    };
    let (from, until) = filters.period();
    let exported = format!(
        "/painel/exportacoes?de={}&ate={}&emitente={}&tipo={}&{ENVIRONMENT}={}",
        encoded(from),
        encoded(until),
        encoded(filters.get("emitente")),
        encoded(filters.get("tipo")),
        encoded(filters.get(ENVIRONMENT))
    );
    let taken = archive::takes(filters.get("tipo"));
    html! {
        div class="cabeca" {
            h2 { @if filters.any() { "Documentos encontrados" } @else { "Todos os documentos" } }
            div class="acoes pequeno" {
                a href=(csv) { "Baixar planilha (CSV)" }
                @if taken { a href=(exported) { "Exportar XML e PDF (ZIP)" } }
            }
        }
        @if let Some(sentence) = left_out(filters, taken) { p class="suave pequeno" { (sentence) } }
    }
}

/// Which of the filters an export takes, where it takes not all of them. `taken`: it takes
/// this kind of documents.
fn left_out(filters: &Filters, taken: bool) -> Option<String> {
    if !taken {
        let sentence = "CT-e e MDF-e não entram na exportação de um período: marque os que quer e baixe os selecionados.";
        return Some(sentence.to_owned());
    }
    let left = filters.not_exported();
    (!left.is_empty()).then(|| {
        format!(
            "A exportação segue o período, o emitente, o tipo e o ambiente desta lista, mas não {}. Para levar só estes documentos, marque-os e baixe os selecionados.",
            left.join(", ")
        )
    })
}

fn rows(visitor: &Visitor, companies: &Companies, documents: &[Value]) -> Markup {
    let several = companies.several();
    let mut head = vec!["Documento", "Destinatário"];
    if several {
        head.push("Emitente");
    }
    head.extend(["Valor", "Situação", "Criado em"]);
    table(
        "Documentos",
        &head,
        html! {
            @for document in documents {
                @let id = text(document, "nota_id");
                tr {
                    td {
                        span class="com-marca" {
                            input type="checkbox" name="id" value=(id) aria-label=(format!("Selecionar {}", title(document)));
                            span { (listing::link(visitor, document)) (serie(document)) }
                        }
                    }
                    td { (party(document)) }
                    @if several { td class="suave" { (companies.name(text(document, "emitente_id"))) } }
                    td class="num" { (money(value_of(document))) }
                    td { (state(visitor, document)) }
                    td class="curto" { (moment(text(document, "criada_em"))) }
                }
            }
        },
    )
}

/// The series, small beside the number.
fn serie(document: &Value) -> Markup {
    let serie = listing::serie(document);
    html! { @if !serie.is_empty() && serie != "1" { span class="suave pequeno" { " série " (serie) } } }
}

fn party(document: &Value) -> Markup {
    let id = recipient_id(document);
    html! {
        (other_party(document))
        @if !id.is_empty() { div class="suave pequeno mono" { (parts::cpf_cnpj(id)) } }
    }
}

/// That there is nothing, and what to do about it.
fn nothing(visitor: &Visitor, filters: &Filters) -> Markup {
    if filters.any() {
        let clear = html! { a class="botao secundario" href=(HERE) { "Limpar os filtros" } };
        let sentence = match filters.get("q") {
            "" => "Nenhum documento com estes filtros.",
            _ => {
                "Nenhum documento com estes filtros. A procura olha a chave, o número, o cliente, o valor e a referência; as palavras dos itens não são procuradas."
            }
        };
        return empty("folha", sentence, clear);
    }
    let sentence = if visitor.live() {
        "Nenhum documento ainda em Produção."
    } else {
        "Nenhum documento ainda em Teste. As notas das chaves de produção estão em Produção, no alto do menu."
    };
    let first = html! { a class="botao secundario" href=(issue(visitor)) { "Emitir o primeiro" } };
    empty("folha", sentence, first)
}

/// The ways to the first page and to the next one.
fn pager(filters: &Filters, cursor: &str, answer: &Value) -> Markup {
    let further = answer["proximo_cursor"].as_str().unwrap_or_default();
    let query = filters.address();
    let to = |more: String| {
        let parts: Vec<&str> = [query.as_str(), more.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        format!("{HERE}?{}", parts.join("&"))
    };
    html! {
        @if !cursor.is_empty() || !further.is_empty() {
            nav class="paginas" aria-label="Páginas" {
                @if !cursor.is_empty() { a class="botao secundario mini" href=(to(String::new())) { "Primeira página" } }
                @if !further.is_empty() { a class="botao secundario mini" href=(to(next(further))) { "Próxima página" } }
            }
        }
    }
}
