//! The list of received notes with its filters, and the same as a spreadsheet.

use super::{COMPLETE, HERE, MANIFESTED, name, number, place, said, selection, series, titled};
use crate::layout::page;
use crate::pages::companies::Companies;
use crate::pages::documents::filters::{ENVIRONMENT, environment, environments, file_period};
use crate::pages::documents::spreadsheet::{Sheet, amount, local, written};
use crate::pages::listing::{items, trial_seal};
use crate::parts::{
    self, ambiente, done, empty, encoded, field, line, moment, money, select, state, status, table,
    top,
};
use crate::reply::{Problem, refusal, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::extract::Query;
use axum::http::Method;
use axum::response::Response;
use maud::{Markup, html};
use objects::sheet::cells;
use serde_json::Value;
use std::collections::BTreeMap;

/// Filters: words of the API, names in the address.
const FILTERS: [(&str, &str); 8] = [
    ("q", "q"),
    ("emitente_id", "empresa"),
    ("emitente", "fornecedor"),
    ("manifestacao", "manifestacao"),
    ("completa", "completa"),
    ("de", "de"),
    ("ate", "ate"),
    ("ambiente", ENVIRONMENT),
];

const HEAD: [&str; 15] = [
    "Fornecedor",
    "CPF ou CNPJ do fornecedor",
    "Empresa",
    "CNPJ da empresa",
    "Número",
    "Série",
    "Chave",
    "Valor",
    "Situação",
    "XML",
    "Manifestação",
    "Emitida em",
    "Recebida em",
    "Protocolo",
    "Ambiente",
];

/// What an address limits the list to.
struct Filters(BTreeMap<String, String>);

impl Filters {
    /// Those of an address; a word that is none of those to choose from limits nothing.
    fn read(live: bool, mut query: BTreeMap<String, String>) -> Filters {
        for (name, words) in [("manifestacao", MANIFESTED), ("completa", COMPLETE)] {
            let given = query.get(name).map_or("", |value| value.trim());
            if words.iter().all(|(word, _)| *word != given) {
                query.remove(name);
            }
        }
        let given = query.get(ENVIRONMENT).map_or("", |value| value.trim());
        if environment(live, given).is_empty() {
            query.remove(ENVIRONMENT);
        }
        Filters(query)
    }

    fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// As a query of the operation.
    fn api(&self) -> String {
        self.joined(|(theirs, _)| theirs)
    }

    /// As a query of the panel's address.
    fn address(&self) -> String {
        self.joined(|(_, ours)| ours)
    }

    fn joined(&self, word: impl Fn((&'static str, &'static str)) -> &'static str) -> String {
        let given = FILTERS
            .iter()
            .filter(|(_, name)| !self.get(name).is_empty());
        let pairs = given.map(|pair| format!("{}={}", word(*pair), encoded(self.get(pair.1))));
        pairs.collect::<Vec<_>>().join("&")
    }
}

pub async fn page_of(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let filters = Filters::read(visitor.live(), query);
    let companies = Companies::read(&visitor).await?;
    let mut path = "/api/v1/nfe-entrada?limite=25".to_owned();
    let cursor = match filters.get("cursor") {
        "" => String::new(),
        cursor => format!("cursor={}", encoded(cursor)),
    };
    for part in [filters.api(), cursor] {
        if !part.is_empty() {
            path.push('&');
            path.push_str(&part);
        }
    }
    let reply = visitor.ask(Method::GET, &path, None).await?;
    let answer = reply.json();
    let note = match filters.0.get("novas") {
        Some(count) => done(&found(count)),
        None => html! {},
    };
    let limited = filters.address();
    Ok(page(
        &visitor,
        HERE,
        "Notas recebidas",
        html! {
            (top("Notas recebidas", "NF-e que outros emitiram contra as suas empresas.", html! {
                @if visitor.may(Action::Documentos) && !companies.all().is_empty() { a class="botao" href="/painel/recebidas/consultar" { "Buscar novas" } }
            }))
            (note)
            (form(&visitor, &filters, &companies))
            @if !reply.ok() { (refusal(&reply)) }
            section class="cartao" {
                @if items(&answer).is_empty() {
                    @if limited.is_empty() { (empty("carta", "Nenhuma nota recebida ainda. O hub as busca na SEFAZ com o certificado da empresa.", html! {})) }
                    @else { (empty("carta", "Nenhuma nota recebida com estes filtros.", html! { a class="botao secundario" href=(HERE) { "Limpar os filtros" } })) }
                } @else {
                    div class="cabeca" {
                        h2 { @if limited.is_empty() { "Todas as notas recebidas" } @else { "Notas encontradas" } }
                        div class="acoes pequeno" { a href=(format!("{HERE}/csv?{limited}")) { "Baixar planilha (CSV)" } }
                    }
                    (listed(&visitor, &companies, items(&answer)))
                    (parts::pager(HERE, &limited, &answer))
                }
            }
        },
    ))
}

fn form(visitor: &Visitor, filters: &Filters, companies: &Companies) -> Markup {
    let places: Vec<(&str, &str)> = std::iter::once(("", "Todos"))
        .chain(environments(visitor.live()))
        .collect();
    let names = companies.options("Todas");
    let names: Vec<(&str, &str)> = names
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str()))
        .collect();
    let given = |name: &str| filters.get(name);
    html! {
        form class="busca" method="get" action=(HERE) role="search" {
            div class="procura" {
                label class="so-leitor" for="q" { "Procurar notas recebidas" }
                input id="q" name="q" type="search" maxlength="60" value=(given("q")) placeholder="Fornecedor, número, chave ou valor" autocomplete="off" aria-describedby="q-dica";
                button class="botao secundario" { "Procurar" }
            }
            p class="dica" id="q-dica" { "Procura por fornecedor (nome, CPF ou CNPJ), número da nota, chave ou valor." }
            div class="filtros" {
                @if companies.several() { (field("empresa", "Empresa", "", select("empresa", &names, given("empresa")))) }
                (field("fornecedor", "CPF ou CNPJ do fornecedor", "", line("fornecedor", "text", given("fornecedor"))))
                (field("manifestacao", "Manifestação", "", select("manifestacao", MANIFESTED, given("manifestacao"))))
                (field("completa", "XML", "", select("completa", COMPLETE, given("completa"))))
                (field("de", "De", "", line("de", "date", given("de"))))
                (field("ate", "Até", "", line("ate", "date", given("ate"))))
                (field(ENVIRONMENT, "Ambiente da nota", "", select(ENVIRONMENT, &places, given(ENVIRONMENT))))
            }
            div class="acoes" {
                button class="botao secundario" { "Filtrar" }
                @if !filters.address().is_empty() { a class="botao secundario" href=(HERE) { "Limpar" } }
            }
        }
    }
}

/// How many notes a question brought.
fn found(count: &str) -> String {
    match count {
        "0" => "Nada de novo na SEFAZ.".to_owned(),
        "1" => "Chegou 1 documento novo.".to_owned(),
        count => format!("Chegaram {count} documentos novos."),
    }
}

/// The notes, and what may be said of those that are marked.
fn listed(visitor: &Visitor, companies: &Companies, notes: &[Value]) -> Markup {
    let may = visitor.may(Action::Documentos);
    if !may || !notes.iter().any(selection::is_open) {
        return rows(visitor, companies, notes, false);
    }
    html! {
        form method="get" action=(selection::HERE) {
            input type="hidden" name="ambiente" value=(visitor.ambiente());
            (rows(visitor, companies, notes, true))
            div class="selecao" {
                label class="marcar" data-so-script { input type="checkbox" data-marca=(selection::FIELD); "Selecionar todas desta página" }
                button class="botao secundario mini" { "Dar ciência das selecionadas" }
            }
        }
    }
}

/// `marks`: those of which nothing was said can be marked.
fn rows(visitor: &Visitor, companies: &Companies, notes: &[Value], marks: bool) -> Markup {
    table(
        "Notas recebidas",
        &[
            "Fornecedor",
            "Empresa",
            "Valor",
            "Situação",
            "Manifestação",
            "Emitida em",
        ],
        html! {
            @for note in notes {
                tr {
                    td {
                        span class="com-marca" {
                            @if marks && selection::is_open(note) { input type="checkbox" name=(selection::FIELD) value=(selection::mark(note)) aria-label=(format!("Selecionar a nota de {}", name(note))); }
                            a href=(place(visitor, note)) { (name(note)) }
                        }
                        div class="pequeno" { (titled(note)) @if !series(text(note, "chave")).is_empty() { ", série " (series(text(note, "chave"))) } }
                        div class="suave pequeno mono" { (parts::cpf_cnpj(text(&note["emitente"], "cpf_cnpj"))) }
                    }
                    td class="suave" { (companies.name(text(note, "emitente_id"))) }
                    td class="num" { (money(&note["valor"])) }
                    td { (status(text(note, "situacao"))) @if note["completa"] != true { " " span class="selo" { "resumo" } } (trial_seal(visitor, note)) }
                    td { (said(text(note, "manifestacao"))) }
                    td class="curto" { (moment(text(note, "emitida_em"))) }
                }
            }
        },
    )
}

/// All notes that fit the filters, as a spreadsheet.
pub async fn download(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Response, Problem> {
    let filters = Filters::read(visitor.live(), query);
    let companies = Companies::read(&visitor).await?;
    let now_ms = visitor.panel.app.now_ms();
    let period = file_period(filters.get("de"), filters.get("ate"), now_ms);
    let company = companies.file_end(filters.get("empresa"));
    let name = format!("recebidas-{period}{company}.csv");
    let sheet = Sheet {
        path: "/api/v1/nfe-entrada",
        head: &HEAD,
        line: cells_of,
    };
    written(visitor, companies, sheet, (&name, filters.api())).await
}

fn cells_of(note: &Value, companies: &Companies) -> String {
    let company = text(note, "emitente_id");
    let cnpj = companies.get(company).map_or("", |one| one.cnpj.as_str());
    let chave = text(note, "chave");
    cells(&[
        name(note),
        &parts::cpf_cnpj(text(&note["emitente"], "cpf_cnpj")),
        companies.name(company),
        &parts::cnpj(cnpj),
        number(chave),
        series(chave),
        chave,
        &amount(&note["valor"]),
        &state(text(note, "situacao")),
        match note["completa"] == true {
            true => "completo",
            false => "resumo",
        },
        match text(note, "manifestacao") {
            "" => "",
            word => said(word),
        },
        &local(text(note, "emitida_em")),
        &local(text(note, "recebida_em")),
        text(note, "protocolo"),
        ambiente(text(note, "ambiente")),
    ])
}
