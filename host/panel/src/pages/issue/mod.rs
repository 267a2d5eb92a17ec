//! Issuing by form: a note of any kind with its items and payments, judged by
//! the engine before it is sent. The body is the one an integration would send.
//!
//! Buttons of the form (`acao`) fill something in and show the form again, with
//! all that was written; with the panel's script only its part of the page is
//! replaced.

pub mod body;
pub mod city;
mod companies;
pub mod customers;
mod drafts;
pub mod inputs;
pub mod judge;
mod leftovers;
pub mod lookups;
pub mod ncm;
pub mod past;
pub mod places;
mod prior;
mod products;
mod question;
pub mod register;
pub mod rows;
mod send;
pub mod services;
mod view;
pub mod wrong;

use self::companies::{Companies, companies};
use self::lookups::Found;
use self::products::Product;
use self::rows::{ITEMS, PAYMENTS, named};
use self::view::{ACTION, Form};
use self::wrong::{Refused, Wrong};
use crate::Panel;
use crate::form::{Fields, Keyed, Sent};
use crate::layout::page;
use crate::once;
use crate::parts::{encoded, issue, top};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Query;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use data::services::Service;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

pub use self::companies::{Companies as Offered, companies as offered, name as company_name};

/// Fields of words that something is looked for by, and the most characters of them: they
/// stand in addresses, and a form that is kept must open again.
const SEARCHES: [&str; 4] = [
    "cliente_busca",
    "produto_busca",
    "servico_busca",
    ncm::WORDS,
];
const SEARCHED: usize = 200;

/// Most fields of a form: more than a note with all its items has.
const FIELDS: usize = 20_000;

pub fn router() -> Router<Panel> {
    Router::new()
        .route(ACTION, get(form).post(act))
        .route("/painel/emitir/cidades", get(cities))
}

async fn form(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Response, Problem> {
    let given = |name: &str| query.get(name).map_or("", String::as_str);
    let token = given(once::FIELD);
    if !token.is_empty()
        && let Some(to) = once::done(&visitor, token).await?
    {
        return Ok(sent_before(&visitor, &to).into_response());
    }
    let fresh = once::token(&visitor.panel.app);
    let token = if token.is_empty() || once::is_stale(&visitor.panel.app, token) {
        &fresh
    } else {
        token
    };
    let mut shown = State::new(token);
    match (given("de"), given("rascunho")) {
        ("", "") => {
            shown.fields = example(&visitor);
            if !given("cliente").is_empty() {
                shown.fields.set("cliente", given("cliente"));
                let found = customers::choose(&visitor, &mut shown.fields).await?;
                shown = shown.found(found);
            }
        }
        (id, "") | ("", id) | (_, id) => {
            let again = given("rascunho").is_empty();
            let prior = prior::prior(&visitor, id, again).await?;
            shown.fields = prior.fields;
            shown.note = prior.note;
            shown.refused = prior.refused;
        }
    }
    Ok(shown.page(&visitor).await?.into_response())
}

/// Shown in place of a form that was sent already, when the person goes back to
/// it.
fn sent_before(visitor: &Visitor, to: &str) -> Markup {
    page(
        visitor,
        ACTION,
        "Emitir",
        html! {
            (top("Emitir", "", html! {}))
            div class="aviso-caixa aviso" role="status" {
                p { "Este formulário já tinha sido enviado: nada foi feito de novo." }
            }
            p class="acoes" {
                a class="botao" href=(to) { "Ver o resultado do envio" }
                a class="botao secundario" href=(issue(visitor)) { "Emitir outra nota" }
            }
        },
    )
}

/// What a form shows at first: in Teste an example that can be sent as it is,
/// in Produção nothing.
fn example(visitor: &Visitor) -> Fields {
    if visitor.live() {
        return Fields::default();
    }
    let example = [
        ("documento", "12.345.678/0001-95"),
        ("nome", "Cliente Exemplo Ltda"),
        ("cep", "30140-071"),
        ("logradouro", "Rua da Bahia"),
        ("numero", "1000"),
        ("bairro", "Centro"),
        ("municipio", "Belo Horizonte"),
        ("uf", "MG"),
        ("descricao", "Café torrado 1 kg"),
        ("ncm", "09012100"),
        ("servico", "010101"),
        ("quantidade", "2"),
        ("valor", "18,90"),
    ];
    let pairs = example.into_iter();
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// What a page of the form shows.
struct State {
    fields: Fields,
    token: String,
    note: String,
    refused: Option<Refused>,
    products: Option<Vec<Product>>,
    services: Option<Vec<&'static Service>>,
    search: Option<ncm::Search>,
    focus: String,
}

impl State {
    fn new(token: &str) -> State {
        State {
            fields: Fields::default(),
            token: token.to_owned(),
            note: String::new(),
            refused: None,
            products: None,
            services: None,
            search: None,
            focus: String::new(),
        }
    }

    /// As a form was sent.
    fn of(sent: &Sent) -> State {
        let token = match sent.token() {
            "" => once::token(&sent.visitor.panel.app),
            token => token.to_owned(),
        };
        State {
            fields: sent.fields.clone(),
            ..State::new(&token)
        }
    }

    /// With why nothing was issued.
    fn refused(mut self, refused: Refused) -> State {
        let refused = refused.in_order();
        if let Some(first) = refused.wrong.first() {
            self.focus.clone_from(&first.field);
        }
        self.refused = Some(refused);
        self
    }

    fn found(self, found: Found) -> State {
        let mut state = match found.refused {
            Some(refused) => self.refused(refused),
            None => self,
        };
        state.note = found.note;
        state
    }

    async fn page(&self, visitor: &Visitor) -> Result<Response, Problem> {
        let all = companies(visitor, self.fields.get("emitente")).await?;
        let content = self.content(visitor, &all).await?;
        let world = if visitor.live() {
            "produção"
        } else {
            "teste"
        };
        let status = self
            .refused
            .as_ref()
            .map_or(StatusCode::OK, Refused::status);
        let shown = page(
            visitor,
            ACTION,
            "Emitir",
            html! {
                (top("Emitir", &format!("Emissão no ambiente de {world}. Troque o ambiente no menu."), html! {
                    a class="botao secundario" href="/painel/lotes" { "Emitir em lote" }
                }))
                (content)
            },
        );
        Ok((status, shown).into_response())
    }

    async fn content(&self, visitor: &Visitor, all: &Companies) -> Result<Markup, Problem> {
        if all.options.is_empty() {
            return Ok(html! {
                div class="aviso-caixa aviso" {
                    p { "Cadastre um emitente antes: é a empresa que assina a nota. " a href="/painel/emitentes" { "Cadastrar emitente" } }
                }
            });
        }
        if !visitor.may(Action::Documentos) {
            return Ok(html! {
                div class="aviso-caixa aviso" { p { "O seu papel nesta conta só permite ver documentos." } }
            });
        }
        let company = all.chosen(self.fields.get("emitente"));
        let words = self.fields.get("cliente_busca");
        let customers = customers::list(visitor, company, words).await?;
        let form = Form {
            visitor,
            fields: &self.fields,
            token: &self.token,
            note: &self.note,
            refused: self.refused.as_ref(),
            companies: all,
            customers: &customers,
            products: self.products.as_deref(),
            services: self.services.as_deref(),
            search: self.search.as_ref(),
            focus: &self.focus,
        };
        Ok(form.shown())
    }
}

/// A form that was sent: one of its buttons, or to be issued.
async fn act(Keyed(mut sent): Keyed) -> Result<Response, Problem> {
    sent.visitor.must(Action::Documentos)?;
    cut_searches(&mut sent.fields);
    let fields = &sent.fields;
    if fields.texts().len() > FIELDS {
        let sentence = "O formulário tem campos demais. Use a emissão em lote para tantas notas.";
        return Err(Problem::new(413, "Formulário grande demais", sentence).back("/painel/lotes"));
    }
    let state = State::of(&sent);
    if fields.on("corrigir") {
        return state.page(&sent.visitor).await;
    }
    match fields.get("acao") {
        "" => Box::pin(send::issue(&sent)).await,
        "conferir" => Box::pin(send::ask(&sent)).await,
        "rascunho" => Box::pin(send::keep(&sent)).await,
        action => Box::pin(filled(&sent.visitor, state, action)).await,
    }
}

/// Leaves of the words that are looked for what can be asked.
fn cut_searches(fields: &mut Fields) {
    for name in SEARCHES {
        fields.cut(name, SEARCHED);
    }
}

/// The form after one of its buttons.
async fn filled(visitor: &Visitor, mut state: State, action: &str) -> Result<Response, Problem> {
    let (action, rest) = action.split_once(':').unwrap_or((action, ""));
    let fields = &mut state.fields;
    let row = rest.parse::<usize>().unwrap_or_default();
    let mut found = Found::default();
    match action {
        "item" => state.focus = named("descricao", ITEMS.append(fields)),
        "retirar-item" => ITEMS.remove(fields, row),
        "pagamento" => state.focus = named("forma", PAYMENTS.append(fields)),
        "retirar-pagamento" => PAYMENTS.remove(fields, row),
        "cep" => {
            state.focus = "numero".to_owned();
            found = lookups::cep(visitor, fields).await?;
        }
        "cnpj" => {
            state.focus = "nome".to_owned();
            found = lookups::cnpj(visitor, fields, ("documento", "nome")).await?;
        }
        "cliente" => {
            state.focus = "descricao".to_owned();
            found = customers::choose(visitor, fields).await?;
        }
        "procurar-cliente" => state.focus = "cliente".to_owned(),
        "produtos" => state.products = Some(products::known(visitor, fields).await?),
        "catalogo" => match products::of_catalogue(visitor, fields).await? {
            Ok(products) => state.products = Some(products),
            Err(nothing) => found = nothing,
        },
        "produto" => {
            products::add(fields, rest);
            state.focus = named("quantidade", ITEMS.count(fields));
        }
        "servicos" if fields.get("servico_busca").is_empty() => {
            found = Found::wrong(Wrong::at("servico_busca", ""));
        }
        "servicos" => {
            state.focus = "servico_busca".to_owned();
            state.services = Some(services::find(fields.get("servico_busca")));
        }
        "servico" => {
            if let Some(service) = services::get(rest) {
                fields.set("servico", services::printed(&service.codigo));
            }
            state.focus = "aliquota".to_owned();
        }
        "procurar-ncm" => {
            state.search = Some(ncm::open(fields, rest));
            state.focus = ncm::WORDS.to_owned();
        }
        "ncm" => {
            let (search, answer) = ncm::find(visitor, fields, rest).await?;
            if answer.refused.is_none() {
                state.focus = ncm::WORDS.to_owned();
            }
            state.search = Some(search);
            found = answer;
        }
        "usar-ncm" => state.focus = ncm::choose(fields, rest),
        "guardar-produto" => {
            state.focus = named("descricao", row);
            found = products::keep(visitor, fields, row).await?;
        }
        _ => {}
    }
    state.found(found).page(visitor).await
}

/// Names of municipalities that a text may become, one a line.
async fn cities(
    _visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> impl IntoResponse {
    let given = |name: &str| query.get(name).map_or("", String::as_str);
    city::suggestions(given("q"), given("uf")).join("\n")
}

/// What the page of a document offers: to issue it again, to correct it, to go
/// on with a draft.
pub fn offers(visitor: &Visitor, document: &Value) -> Markup {
    let issued_here = matches!(text(document, "modelo"), "55" | "65" | "nfse");
    if !issued_here || !visitor.may(Action::Documentos) {
        return html! {};
    }
    let id = text(document, "nota_id");
    let to = |name: &str| {
        format!(
            "{}&{name}={}&ambiente={}",
            issue(visitor),
            encoded(id),
            visitor.ambiente()
        )
    };
    match text(document, "status") {
        "rascunho" => html! {
            a class="botao" href=(to("rascunho")) { "Continuar o rascunho" }
        },
        "rejeitada" | "nao_enviada" => {
            html! { a class="botao" href=(to("de")) { "Corrigir e enviar de novo" } }
        }
        "autorizada" | "validada" | "cancelada" => {
            html! { a class="botao secundario" href=(to("de")) { "Duplicar" } }
        }
        _ => html! {},
    }
}
