//! Looking for anything from anywhere: documents, received notes, companies,
//! persons, products and pages. The script opens it over a page by Ctrl-K;
//! without one it is a page.

use super::companies::{Companies, has};
use super::documents::filters::titled;
use super::issue::register;
use super::listing::{items, rows};
use crate::Panel;
use crate::layout::{self, page};
use crate::parts::{self, cnpj, empty, encoded, moment, money, table, top};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::Router;
use axum::extract::Query;
use axum::http::Method;
use axum::routing::get;
use gate::request::list::key;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;
use store::tables::produtos::ProductRow;

const HERE: &str = "/painel/busca";
/// Things of a kind that are shown; the list of documents has all of them.
const SHOWN: usize = 8;

/// Pages by what people may call them.
const PAGES: [(&str, &str, &str); 12] = [
    (
        "/painel/documentos?status=rejeitada",
        "Documentos rejeitados",
        "recusa erro rejeicao",
    ),
    (
        "/painel/documentos?status=aberta",
        "Documentos à espera",
        "pendente fila travada transmissao",
    ),
    (
        "/painel/documentos?status=rascunho",
        "Rascunhos",
        "rascunho criar",
    ),
    (
        "/painel/exportacoes",
        "Exportar XML e PDF",
        "zip contador exportar backup arquivo",
    ),
    (
        "/painel/numeracao",
        "Numeração",
        "inutilizar lacuna faixa numero pulado",
    ),
    (
        "/painel/recebidas",
        "Notas recebidas",
        "entrada compra manifestar manifestacao fornecedor destinadas",
    ),
    (
        "/painel/relatorio",
        "Relatório",
        "total mes fechamento soma faturamento",
    ),
    (
        "/painel/autorizadores",
        "Situação das SEFAZ",
        "sefaz fora do ar status autorizador uf",
    ),
    (
        "/docs",
        "Documentação da API",
        "api swagger openapi integracao",
    ),
    ("/docs/erros", "Códigos de erro", "erro codigo"),
    (
        "/painel/ferramentas",
        "Ferramentas",
        "ncm cfop cep cnpj simples fator r",
    ),
    (
        "/painel/configuracoes",
        "Autenticador e senha",
        "senha dois fatores 2fa conta",
    ),
];

pub fn router() -> Router<Panel> {
    Router::new().route(HERE, get(search))
}

async fn search(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let q = query.get("q").map_or("", |q| q.trim());
    let q: String = q.chars().take(60).collect();
    let found = match q.is_empty() {
        true => {
            html! { p class="suave" { "Procure por chave de acesso, número, nome, CPF ou CNPJ, valor ou nome de uma página. As palavras dos itens das notas não são procuradas." } }
        }
        false => results(&visitor, &q).await?,
    };
    Ok(page(
        &visitor,
        HERE,
        "Busca",
        html! {
            (top("Busca", "", html! {}))
            form class="procura" method="get" action=(HERE) role="search" {
                label class="so-leitor" for="busca-q" { "Procurar" }
                input id="busca-q" name="q" type="search" maxlength="60" value=(q) autocomplete="off";
                button class="botao secundario" { "Procurar" }
            }
            div id="achados" { (found) }
        },
    ))
}

async fn results(visitor: &Visitor, q: &str) -> Result<Markup, Problem> {
    // By the name that lists show, too.
    let (model, number) = titled(q).unwrap_or(("", q));
    let mut path = format!("/api/v1/documentos?limite={SHOWN}&q={}", encoded(number));
    if !model.is_empty() {
        path.push_str(&format!("&modelo={model}"));
    }
    let documents = visitor.ask(Method::GET, &path, None).await?.json();
    let more = documents["tem_mais"] == true;
    let documents = items(&documents);
    let received = received(visitor, q).await?;
    let persons = persons(visitor, q).await?;
    let companies = Companies::read(visitor).await?;
    let companies: Vec<_> = companies.found(q).take(SHOWN).collect();
    let products = register::list(visitor, q, "", SHOWN).await?;
    let pages = pages(visitor, q);
    let none = documents.is_empty()
        && received.is_none()
        && persons.is_empty()
        && products.is_empty()
        && companies.is_empty()
        && pages.is_empty();
    Ok(html! {
        @if none { section class="cartao" { (empty("lista", "Nada foi encontrado. Documentos são procurados por chave, número, cliente ou valor; as palavras dos itens não.", html! {})) } }
        @if !pages.is_empty() {
            section class="cartao" {
                h2 { "Páginas" }
                ul class="achados" { @for (to, name) in &pages { li { a href=(to) { (name) } } } }
            }
        }
        @if !documents.is_empty() {
            section class="cartao" {
                div class="cabeca" { h2 { "Documentos" } @if more { a class="pequeno" href=(format!("/painel/documentos?q={}", encoded(q))) { "Ver todos" } } }
                (rows(visitor, documents))
            }
        }
        @if let Some(note) = &received { (received_note(visitor, note)) }
        @if !companies.is_empty() {
            section class="cartao" {
                h2 { "Emitentes" }
                ul class="achados" { @for one in companies { li { a href=(format!("/painel/emitentes/{}", encoded(&one.id))) { (one.name) } span class="suave mono pequeno junto" { (cnpj(&one.cnpj)) } } } }
            }
        }
        @if !persons.is_empty() {
            section class="cartao" {
                h2 { "Clientes" }
                ul class="achados" {
                    @for person in &persons {
                        li { a href=(format!("/painel/clientes/{}", encoded(text(person, "id")))) { (text(person, "nome")) } span class="suave mono pequeno junto" { (parts::cpf_cnpj(text(person, "cpf_cnpj"))) } }
                    }
                }
            }
        }
        @if !products.is_empty() { (goods(&products)) }
    })
}

/// Products of the account's register.
fn goods(products: &[ProductRow]) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Produtos" }
            ul class="achados" {
                @for product in products {
                    li { a href=(format!("/painel/produtos/{}", encoded(&product.id))) { (product.descricao) } span class="suave mono pequeno" { (product.codigo) } }
                }
            }
        }
    }
}

/// Pages whose name or words have what is looked for.
fn pages(visitor: &Visitor, q: &str) -> Vec<(String, &'static str)> {
    let menu = layout::entries()
        .filter(|(_, name)| has(name, q))
        .map(|(to, name)| (to.to_owned(), name));
    let others = PAGES
        .iter()
        .filter(|(_, name, words)| has(&format!("{name} {words}"), q))
        .map(|(to, name, _)| ((*to).to_owned(), *name));
    let mut found: Vec<(String, &'static str)> = menu.chain(others).collect();
    for (to, _) in &mut found {
        if to == "/painel/emitir" {
            *to = parts::issue(visitor);
        }
    }
    found.sort_by(|one, other| one.1.cmp(other.1));
    found.dedup_by(|one, other| one.0 == other.0);
    found.truncate(SHOWN);
    found
}

/// The received note of a key.
async fn received(visitor: &Visitor, q: &str) -> Result<Option<Value>, Problem> {
    let key = key(q);
    if key.len() != 44 {
        return Ok(None);
    }
    let path = format!("/api/v1/nfe-entrada/{}", encoded(&key));
    let reply = visitor.ask(Method::GET, &path, None).await?;
    Ok(reply.ok().then(|| reply.json()))
}

fn received_note(visitor: &Visitor, note: &Value) -> Markup {
    let summary = &note["resumo"];
    let to = format!(
        "/painel/recebidas/{}?empresa={}&ambiente={}",
        encoded(text(note, "chave")),
        encoded(text(summary, "emitente_id")),
        visitor.ambiente()
    );
    html! {
        section class="cartao" {
            h2 { "Notas recebidas" }
            (table("Notas recebidas", &["Fornecedor", "Valor", "Emitida em"], html! {
                tr { td { a href=(to) { (text(&summary["emitente"], "nome")) } } td class="num" { (money(&summary["valor"])) } td class="curto" { (moment(text(summary, "emitida_em"))) } }
            }))
        }
    }
}

/// Persons by a part of their name or by their CPF or CNPJ.
async fn persons(visitor: &Visitor, q: &str) -> Result<Vec<Value>, Problem> {
    let signs: String = q.chars().filter(char::is_ascii_alphanumeric).collect();
    let path =
        if matches!(signs.len(), 11 | 14) && signs.bytes().filter(u8::is_ascii_digit).count() > 9 {
            format!(
                "/api/v1/pessoas?limite={SHOWN}&cpf_cnpj={}",
                encoded(&signs)
            )
        } else if q.chars().any(char::is_alphabetic) {
            format!("/api/v1/pessoas?limite={SHOWN}&q={}", encoded(q))
        } else {
            return Ok(Vec::new());
        };
    let reply = visitor.ask(Method::GET, &path, None).await?;
    Ok(items(&reply.json()).to_vec())
}
