//! Products that are registered: the list, one of them, and the forms that
//! register, change and delete them.

use super::issue::inputs;
use super::issue::register::{self, Outcome};
use super::issue::wrong::Wrong;
use crate::Panel;
use crate::form::amount::written_money;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::parts::{
    self, MUST, done, empty, encoded, hidden, marks, moment, money, pager, table, top,
};
use crate::reply::Problem;
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base::when;
use maud::{Markup, html};
use serde_json::json;
use std::collections::BTreeMap;
use store::ids::ProdutoId;
use store::tables::produtos::ProductRow;

const HERE: &str = "/painel/produtos";
/// Products of a page of the list.
const SHOWN: usize = 50;

/// The fields of a product as its form has them, with their width.
const INPUTS: [(&str, &str); 8] = [
    ("descricao", "c4"),
    ("codigo", "c2"),
    ("ncm", "c2"),
    ("valor", "c2"),
    ("unidade", "c2"),
    ("cfop", "c2"),
    ("cest", "c2"),
    ("gtin", "c2"),
];

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(list).post(create))
        .route("/painel/produtos/{id}", get(one).post(change))
        .route("/painel/produtos/{id}/excluir", post(remove))
}

/// A form as it is shown: what is filled in, and what is wrong with it.
#[derive(Default)]
struct Filled {
    fields: Fields,
    wrong: Wrongs,
}

impl Filled {
    /// As it was sent, with what the register said.
    fn refused(fields: &Fields, wrong: Wrongs) -> Filled {
        Filled {
            fields: fields.clone(),
            wrong,
        }
    }

    fn of(product: &ProductRow) -> Filled {
        let names = INPUTS.iter().map(|(name, _)| *name);
        let pairs = names.map(|name| (name.to_owned(), register::shown(product, name)));
        Filled {
            fields: pairs.collect(),
            wrong: Wrongs::default(),
        }
    }

    fn inputs(&self) -> Markup {
        html! { @for (name, class) in INPUTS { (self.input(name, class)) } }
    }

    fn input(&self, name: &str, class: &str) -> Markup {
        let (text, hint) = (label(name), hint(name));
        let must = MUST.filter(|_| name == "descricao");
        let keyboard = inputs::get(name).map_or("text", |input| input.keyboard);
        html! {
            div class=(format!("campo {class}")) {
                (parts::label(name, text, must))
                div class="caixa" {
                    input id=(name) name=(name) type="text" inputmode=(keyboard) value=(self.fields.get(name)) autocomplete="off"
                        aria-invalid=[self.wrong.invalid(name)] autofocus[self.wrong.focus(name)]
                        aria-describedby=[self.wrong.described(name, hint)];
                    (self.wrong.beside(name))
                    @if !hint.is_empty() { span class="dica" id=(format!("{name}-dica")) { (hint) } }
                }
            }
        }
    }
}

/// What a field is called: as in the issuing form, but for the price.
fn label(name: &str) -> &str {
    match name {
        "valor" => "Preço (R$)",
        _ => inputs::get(name).map_or(name, |input| input.label),
    }
}

fn hint(name: &str) -> &'static str {
    match name {
        "valor" => "Pode ficar vazio.",
        _ => inputs::get(name).map_or("", |input| input.hint),
    }
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    listed(&visitor, &query, &Filled::default()).await
}

async fn listed(
    visitor: &Visitor,
    query: &BTreeMap<String, String>,
    filled: &Filled,
) -> Result<Markup, Problem> {
    let given = |name: &str| query.get(name).map_or("", |value| value.trim());
    let q = given("q");
    let mut products = register::list(visitor, q, given("cursor"), SHOWN + 1).await?;
    let more = products.len() > SHOWN;
    products.truncate(SHOWN);
    let last = products.last().map_or("", |product| product.id.as_str());
    let next = json!({ "tem_mais": more, "proximo_cursor": last });
    Ok(page(
        visitor,
        HERE,
        "Produtos",
        html! {
            (top("Produtos", "O cadastro que o formulário de emissão oferece, para todas as empresas da conta.", html! {}))
            @if query.contains_key("excluido") { (done("Produto excluído.")) }
            form class="procura" method="get" action=(HERE) role="search" {
                label class="so-leitor" for="procura-q" { "Nome, código ou código de barras" }
                input id="procura-q" name="q" type="search" maxlength="60" value=(q) placeholder="Nome, código ou código de barras" autocomplete="off";
                button class="botao secundario" { "Procurar" }
            }
            section class="cartao" {
                @if products.is_empty() {
                    (empty("caixa", if q.is_empty() { "Nenhum produto ainda." } else { "Nenhum produto foi encontrado." }, html! {}))
                } @else {
                    (rows(&products))
                    (pager(HERE, &format!("q={}", encoded(q)), &next))
                }
            }
            @if visitor.may(Action::Emitters) {
                section class="cartao" {
                    h2 { "Cadastrar produto" }
                    (filled.wrong.above(None))
                    (marks())
                    form class="campos blocos" method="post" action=(HERE) {
                        (hidden(visitor))
                        fieldset class="bloco" {
                            legend class="so-leitor" { "Produto" }
                            (filled.inputs())
                        }
                        div { button class="botao" { "Cadastrar" } }
                    }
                }
            }
        },
    ))
}

fn rows(products: &[ProductRow]) -> Markup {
    table(
        "Produtos",
        &["Descrição", "Código", "NCM", "Unidade", "Preço"],
        html! {
            @for product in products {
                tr {
                    td class="quebra" { a href=(place(&product.id)) { (product.descricao) } }
                    td class="mono quebra" { (product.codigo) }
                    td class="mono" { (product.ncm) }
                    td { (product.unidade) }
                    td class="num" { (price(&product.preco)) }
                }
            }
        },
    )
}

/// A price of a list: what has more decimals than cents keeps them.
fn price(text: &str) -> String {
    match text.split_once('.') {
        _ if text.is_empty() => String::new(),
        Some((_, decimals)) if decimals.len() > 2 => format!("R$ {}", written_money(text)),
        _ => money(&json!(text)),
    }
}

fn place(id: &ProdutoId) -> String {
    format!("{HERE}/{}", encoded(id))
}

/// What is wrong with fields, beside them.
fn beside(all: &[Wrong]) -> Wrongs {
    let mut wrongs = Wrongs::default();
    for wrong in all {
        wrongs.add(&wrong.field, &wrong.sentence);
    }
    wrongs
}

/// Why the register did not take a product.
fn refusal(outcome: &Outcome) -> Wrongs {
    let mut wrongs = Wrongs::default();
    match outcome {
        Outcome::Full => wrongs.add_above(&register::full()),
        _ => wrongs.add(
            "codigo",
            "Outro produto já tem este código. Escreva outro, ou mude o que está no cadastro.",
        ),
    }
    wrongs
}

fn absent() -> Problem {
    Problem::new(
        404,
        "Produto não encontrado",
        "O produto não existe, ou já foi excluído.",
    )
    .back(HERE)
}

async fn create(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    register::must(visitor)?;
    let wrong = match register::read(fields, 1) {
        Ok(product) => {
            let name = product.descricao.clone();
            match register::add(visitor, product).await? {
                Outcome::New(id) => {
                    visitor.note("produto.cadastrado", &id, &name).await?;
                    let to = format!("{}?criado=1", place(&id));
                    return Ok(Redirect::to(&to).into_response());
                }
                outcome => refusal(&outcome),
            }
        }
        Err(wrong) => beside(&wrong),
    };
    let filled = Filled::refused(fields, wrong);
    let page = listed(visitor, &BTreeMap::new(), &filled).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

async fn found(visitor: &Visitor, id: &ProdutoId) -> Result<ProductRow, Problem> {
    register::get(visitor, id).await?.ok_or_else(absent)
}

async fn one(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let product = found(&visitor, &id.into()).await?;
    let note = if query.contains_key("criado") {
        done("Produto cadastrado.")
    } else if query.contains_key("salvo") {
        done("Alterações salvas.")
    } else {
        html! {}
    };
    Ok(shown(&visitor, &product, note, &Filled::of(&product)))
}

/// The page of one. `filled`: its form, as it may have been refused.
fn shown(visitor: &Visitor, product: &ProductRow, note: Markup, filled: &Filled) -> Markup {
    let code = match product.codigo.as_str() {
        "" => String::new(),
        codigo => format!("Código {codigo}"),
    };
    let dates = html! {
        p class="suave pequeno" {
            "Cadastrado em " (moment(&when::rfc3339(product.created_at_ms)))
            ", alterado em " (moment(&when::rfc3339(product.updated_at_ms)))
        }
    };
    let content = html! {
        (top(&product.descricao, &code, html! { a class="botao secundario" href=(HERE) { "Todos os produtos" } }))
        (note)
        @if visitor.may(Action::Emitters) {
            section class="cartao" {
                h2 { "Dados" }
                (filled.wrong.above(None))
                (marks())
                form class="campos blocos" method="post" action=(place(&product.id)) {
                    (hidden(visitor))
                    fieldset class="bloco" {
                        legend class="so-leitor" { "Produto" }
                        (filled.inputs())
                    }
                    div { button class="botao" { "Salvar" } }
                }
                (dates)
            }
            section class="cartao" {
                h2 { "Excluir" }
                p class="suave" { "O produto sai do cadastro. As notas que já o têm não mudam." }
                form method="post" action=(format!("{}/excluir", place(&product.id))) data-confirma="Excluir este produto do cadastro?" {
                    (hidden(visitor))
                    button class="botao perigo" { "Excluir produto" }
                }
            }
        } @else {
            section class="cartao" {
                dl class="fatos" {
                    @for (name, _) in INPUTS {
                        @let value = register::shown(product, name);
                        @if !value.is_empty() { dt { (label(name)) } dd class="quebra" { (value) } }
                    }
                }
                (dates)
            }
        }
    };
    page(visitor, HERE, &product.descricao, content)
}

async fn change(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    register::must(visitor)?;
    let there = found(visitor, &id.into()).await?;
    let wrong = match register::read(fields, 1) {
        Ok(product) => {
            let name = product.descricao.clone();
            match register::change(visitor, &there.id, product).await? {
                Outcome::Changed(id) => {
                    visitor.note("produto.alterado", &id, &name).await?;
                    let to = format!("{}?salvo=1", place(&id));
                    return Ok(Redirect::to(&to).into_response());
                }
                Outcome::Gone => return Err(absent()),
                outcome => refusal(&outcome),
            }
        }
        Err(wrong) => beside(&wrong),
    };
    let filled = Filled::refused(fields, wrong);
    let page = shown(visitor, &there, html! {}, &filled);
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

async fn remove(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    register::must(visitor)?;
    let product = found(visitor, &id.into()).await?;
    if !register::remove(visitor, &product.id).await? {
        return Err(absent());
    }
    visitor
        .note("produto.excluido", &product.id, &product.descricao)
        .await?;
    Ok(Redirect::to(&format!("{HERE}?excluido=1")).into_response())
}
