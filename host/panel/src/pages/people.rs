//! Customers and suppliers (`/pessoas`): the list, one of them, and the forms
//! that register and change them.

use super::companies::Companies;
use super::filling::{self, Filled};
use super::issue::city::Cities;
use super::issue::customers::main_address;
use super::issue::inputs::{EXEMPT, states};
use super::listing::items;
use crate::Panel;
use crate::form::fields::choice;
use crate::form::wrong::Wrongs;
use crate::form::{Fields, Sent};
use crate::layout::page;
use crate::parts::{
    MUST, cpf_cnpj, done, empty, encoded, hidden, issue, label, marks, moment, pager, select,
    table, top,
};
use crate::reply::plain::plain;
use crate::reply::{Problem, joined, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use fiscal::person;
use markup::field::Fields as Found;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const HERE: &str = "/painel/clientes";

/// Fields of an address: name, label, hint, width.
const ADDRESS: [(&str, &str, &str, &str); 7] = [
    ("cep", "CEP", "", "c2"),
    ("logradouro", "Logradouro", "", "c4"),
    ("numero", "Número", "Sem número: escreva S/N.", "c2"),
    ("complemento", "Complemento", "", "c2"),
    ("bairro", "Bairro", "", "c2"),
    ("municipio", "Cidade", "Pelo nome.", "c4"),
    ("uf", "UF", "", "c2"),
];
/// Fields of the person itself that may change later.
const PERSON: [(&str, &str, &str, &str); 4] = [
    ("nome", "Nome ou razão social", "", "c4"),
    ("email", "E-mail", "", "c2"),
    ("ie", "Inscrição estadual", EXEMPT, "c2"),
    ("im", "Inscrição municipal", "", "c2"),
];

/// Fields that must be filled in: of a person, and of an address where there is one.
const NEEDED: [&str; 2] = ["cpf_cnpj", "nome"];
const NEEDED_OF_ADDRESS: [&str; 5] = ["cep", "logradouro", "numero", "bairro", "municipio"];

/// What a field is called.
fn called(name: &str) -> &'static str {
    let mut all = PERSON.iter().chain(&ADDRESS);
    let found = all.find(|(field, ..)| *field == name);
    found.map_or("CPF ou CNPJ", |one| one.1)
}

/// Where a field stands in the forms, compared with others.
fn order(name: &str) -> usize {
    let mut all = PERSON.iter().chain(&ADDRESS);
    let found = all.position(|(field, ..)| *field == name);
    // The number of the person stands first.
    found.map_or(0, |at| at + 1)
}

/// Says of these fields which are empty.
fn lacking(fields: &Fields, names: &[&str]) -> Wrongs {
    let mut wrong = Wrongs::default();
    let empty = names.iter().filter(|name| fields.get(name).is_empty());
    for name in empty {
        let sentence = match *name {
            "cpf_cnpj" => "Preencha o CPF ou CNPJ.",
            "nome" => "Preencha o nome ou a razão social.",
            "cep" => "Preencha o CEP.",
            "logradouro" => "Preencha o logradouro.",
            "numero" => "Preencha o número, ou escreva S/N.",
            "bairro" => "Preencha o bairro.",
            _ => "Preencha a cidade.",
        };
        wrong.add(name, sentence);
    }
    wrong
}

/// What is missing, with what is filled in and cannot be, so that all of it is said at once.
fn at_once(fields: &Fields, mut wrong: Wrongs) -> Wrongs {
    let mut found = Found::default();
    let [document, email] = ["cpf_cnpj", "email"].map(|name| fields.get(name));
    if !document.is_empty() {
        person::documento(&mut found, "cpf_cnpj", document);
    }
    if !email.is_empty() {
        person::email(&mut found, "email", email);
    }
    if !fields.get("cep").is_empty() {
        person::cep(&mut found, "cep", &cep(fields));
    }
    for one in found.0 {
        let told = [plain(&one.mensagem), plain(&one.correcao)];
        let told: Vec<String> = told.into_iter().flatten().collect();
        wrong.add(&one.campo, &joined(told.iter().map(String::as_str)));
    }
    wrong.in_order(order)
}

/// The CEP of a form, without what people write between its digits.
fn cep(fields: &Fields) -> String {
    let digits = fields.get("cep").chars().filter(char::is_ascii_digit);
    digits.collect()
}

pub fn router() -> Router<Panel> {
    Router::new()
        .route(HERE, get(list).post(create))
        .route("/painel/clientes/{id}", get(one).post(change))
        .route("/painel/clientes/{id}/enderecos", post(address))
}

impl Filled {
    /// `needed`: the fields of the form that must be filled in.
    fn input(&self, one: (&str, &str, &str, &str), needed: &[&str]) -> Markup {
        let (name, text, hint, class) = one;
        let must = MUST.filter(|_| needed.contains(&name));
        html! {
            div class=(format!("campo {class}")) {
                (label(name, text, must))
                div class="caixa" {
                    @if name == "uf" { (choice(&self.wrong, name, hint, &states(), &self.fields.get(name).to_uppercase())) }
                    @else {
                        input id=(name) name=(name) type="text" value=(self.fields.get(name))
                            aria-invalid=[self.wrong.invalid(name)] autofocus[self.focus(name)]
                            aria-describedby=[self.wrong.described(name, hint)];
                    }
                    (self.wrong.beside(name))
                    @if !hint.is_empty() { span class="dica" id=(format!("{name}-dica")) { (hint) } }
                }
            }
        }
    }

    fn inputs(&self, all: &[(&str, &str, &str, &str)], needed: &[&str]) -> Markup {
        html! { @for one in all { (self.input(*one, needed)) } }
    }

    /// The fields of an address, with what fills it in.
    fn address(&self, visitor: &Visitor, needed: &[&str]) -> Markup {
        let [cep, rest @ ..] = &ADDRESS;
        html! {
            (self.told())
            (self.input(*cep, needed))
            (filling::by_cep(visitor))
            (self.inputs(rest, needed))
        }
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
    let (q, company) = (given("q"), given("empresa"));
    let companies = Companies::read(visitor).await?;
    let mut path = "/api/v1/pessoas?limite=50".to_owned();
    for (name, value) in asked(q, company, given("cursor")) {
        path.push_str(&format!("&{name}={}", encoded(&value)));
    }
    let reply = visitor.ask(Method::GET, &path, None).await?;
    let wrong = match reply.ok() {
        true => Wrongs::default(),
        false => Wrongs::of(&reply, |_| false),
    };
    let answer = reply.json();
    let filters = format!("q={}&empresa={}", encoded(q), encoded(company));
    let options = companies.options("Todas as empresas");
    let options: Vec<_> = options.iter().map(|(id, name)| (&**id, &**name)).collect();
    let owners: Vec<_> = options.iter().skip(1).copied().collect();
    Ok(page(
        visitor,
        HERE,
        "Clientes",
        html! {
            (top("Clientes", "Clientes e fornecedores que o formulário de emissão oferece para escolher.", html! {}))
            (wrong.above(None))
            form class="procura" method="get" action=(HERE) role="search" {
                label class="so-leitor" for="procura-q" { "Nome, CPF ou CNPJ" }
                input id="procura-q" name="q" type="search" maxlength="60" value=(q) placeholder="Nome, CPF ou CNPJ" autocomplete="off";
                @if companies.several() {
                    label class="so-leitor" for="empresa" { "Empresa" }
                    (select("empresa", &options, company))
                }
                button class="botao secundario" { "Procurar" }
            }
            section class="cartao" {
                @if items(&answer).is_empty() {
                    (empty("gente", if q.is_empty() { "Nenhum cliente ainda." } else { "Ninguém foi encontrado." }, html! {}))
                } @else {
                    (rows(&companies, items(&answer)))
                    (pager(HERE, &filters, &answer))
                }
            }
            @if visitor.may(Action::Emitters) && !owners.is_empty() {
                section class="cartao" {
                    h2 { "Cadastrar cliente" }
                    (filled.wrong.above(Some(called)))
                    (marks())
                    form class="campos blocos" method="post" action=(HERE) {
                        (filling::main_button())
                        (hidden(visitor))
                        fieldset class="bloco" {
                            legend { "Cliente" }
                            div class="campo c4" {
                                label for="emitente" { "Da empresa" }
                                (select("emitente", &owners, filled.fields.get("emitente")))
                            }
                            (filled.input(("cpf_cnpj", "CPF ou CNPJ", "", "c2"), &NEEDED))
                            (filling::by_cnpj(visitor))
                            (filled.inputs(&PERSON, &NEEDED))
                        }
                        fieldset class="bloco" {
                            legend { "Endereço" }
                            (filled.address(visitor, &[]))
                        }
                        div { button class="botao" { "Cadastrar" } }
                    }
                }
            }
        },
    ))
}

/// Parameters of the list for what somebody looks for.
fn asked(q: &str, company: &str, cursor: &str) -> Vec<(&'static str, String)> {
    let signs: String = q.chars().filter(char::is_ascii_alphanumeric).collect();
    let digits = signs.bytes().filter(u8::is_ascii_digit).count();
    let (name, value) = match signs.len() {
        11 | 14 if digits > 9 => ("cpf_cnpj", signs),
        _ => ("q", q.to_owned()),
    };
    let all = [
        (name, value),
        ("emitente_id", company.to_owned()),
        ("cursor", cursor.to_owned()),
    ];
    let given = all.into_iter().filter(|(_, value)| !value.is_empty());
    given.collect()
}

fn rows(companies: &Companies, people: &[Value]) -> Markup {
    let head = ["Nome", "CPF ou CNPJ", "E-mail", "Cidade", "Empresa"];
    let head = if companies.several() {
        &head[..]
    } else {
        &head[..4]
    };
    table(
        "Clientes",
        head,
        html! {
            @for person in people {
                tr {
                    td { a href=(place(text(person, "id"))) { (text(person, "nome")) } }
                    td class="mono" { (cpf_cnpj(text(person, "cpf_cnpj"))) }
                    td class="quebra" { (text(person, "email")) }
                    td { (city(main_address(person))) }
                    @if companies.several() { td { (companies.name(text(person, "emitente_id"))) } }
                }
            }
        },
    )
}

fn place(id: &str) -> String {
    format!("{HERE}/{}", encoded(id))
}

fn city(address: &Value) -> String {
    match (text(address, "cidade"), text(address, "uf")) {
        ("", uf) => uf.to_owned(),
        (city, uf) => format!("{city}/{uf}"),
    }
}

async fn create(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Emitters)?;
    if let Some(filled) = filling::pressed(visitor, fields, ("cpf_cnpj", "nome")).await? {
        let page = listed(visitor, &BTreeMap::new(), &filled).await?;
        return Ok((filled.status(), page).into_response());
    }
    let shown = async |wrong: Wrongs| -> Result<Response, Problem> {
        let filled = Filled::refused(fields, wrong);
        let page = listed(visitor, &BTreeMap::new(), &filled).await?;
        Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
    };
    let mut wrong = lacking(fields, &NEEDED);
    let mut body = members(fields, &["cpf_cnpj", "nome", "email", "ie", "im"], true);
    body.insert("emitente_id".into(), fields.get("emitente").into());
    if ADDRESS
        .iter()
        .any(|(name, ..)| !fields.get(name).is_empty())
    {
        match address_of(visitor, fields).await? {
            Ok(address) => {
                body.insert("enderecos".into(), json!([address]));
            }
            Err(address) => wrong.append(address),
        }
    }
    if !wrong.is_empty() {
        return shown(at_once(fields, wrong)).await;
    }
    let body = Value::Object(body);
    let reply = sent
        .ask(Method::POST, "/api/v1/pessoas", Some(&body))
        .await?;
    if !reply.ok() {
        return shown(wrongs(&reply)).await;
    }
    let answer = reply.json();
    let known = answer["ja_existia"] == true;
    let id = text(&answer, "id");
    if !known {
        visitor.note("pessoa.cadastrada", id, "").await?;
    }
    let said = if known { "ja" } else { "criado" };
    Ok(Redirect::to(&format!("{}?{said}=1", place(id))).into_response())
}

/// Members of a body. `filled`: only those that are filled in.
fn members(fields: &Fields, names: &[&str], filled: bool) -> Map<String, Value> {
    let all = names.iter().map(|name| (*name, fields.get(name)));
    all.filter(|(_, value)| !filled || !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect()
}

/// The address of a form, with its city found by name; or what is wrong.
async fn address_of(visitor: &Visitor, fields: &Fields) -> Result<Result<Value, Wrongs>, Problem> {
    let mut wrong = lacking(fields, &NEEDED_OF_ADDRESS);
    if wrong.has("municipio") {
        return Ok(Err(wrong));
    }
    let found = Cities::default()
        .find(visitor, fields.get("municipio"), fields.get("uf"))
        .await?;
    let city = match found {
        Ok(city) => city,
        Err(city) => {
            wrong.add(&city.field, &city.sentence);
            return Ok(Err(wrong));
        }
    };
    if !wrong.is_empty() {
        return Ok(Err(wrong));
    }
    let mut address = members(
        fields,
        &["logradouro", "numero", "complemento", "bairro"],
        true,
    );
    address.insert("cep".into(), cep(fields).into());
    address.insert("codigo_ibge".into(), city.code.into());
    address.insert("uf".into(), city.uf.into());
    Ok(Ok(Value::Object(address)))
}

/// What an operation refused, beside the fields of these forms.
fn wrongs(reply: &api::inside::Reply) -> Wrongs {
    let known = |name: &str| {
        let mut all = ADDRESS.iter().chain(&PERSON).map(|(field, ..)| *field);
        matches!(name, "cpf_cnpj" | "codigo_ibge") || all.any(|field| field == name)
    };
    let wrong = Wrongs::of(reply, known).renamed(|name| match name {
        "codigo_ibge" => "municipio",
        name => name,
    });
    wrong.in_order(order)
}

async fn one(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Markup, Problem> {
    let note = if query.contains_key("criado") {
        done("Cliente cadastrado.")
    } else if query.contains_key("ja") {
        done("Este CPF ou CNPJ já estava cadastrado: nada mudou.")
    } else if query.contains_key("salvo") {
        done("Alterações salvas.")
    } else {
        html! {}
    };
    shown(&visitor, &id, note, None, None).await
}

/// The page of one. `data`, `address`: a form that was refused.
async fn shown(
    visitor: &Visitor,
    id: &str,
    note: Markup,
    data: Option<Filled>,
    address: Option<Filled>,
) -> Result<Markup, Problem> {
    let person = visitor
        .get(&format!("/api/v1/pessoas/{}", encoded(id)))
        .await?;
    let document = text(&person, "cpf_cnpj");
    let data = data.unwrap_or_else(|| {
        let names = PERSON.iter().map(|(name, ..)| *name);
        let pairs = names.map(|name| (name.to_owned(), text(&person, name).to_owned()));
        Filled::refused(&pairs.collect(), Wrongs::default())
    });
    let address = address.unwrap_or_default();
    let actions = html! {
        a class="botao" href=(format!("{}&cliente={}&ambiente={}", issue(visitor), encoded(id), visitor.ambiente())) { "Emitir para este cliente" }
        a class="botao secundario" href=(format!("/painel/documentos?destinatario={}", encoded(document))) { "Documentos" }
    };
    Ok(page(
        visitor,
        HERE,
        text(&person, "nome"),
        html! {
            (top(text(&person, "nome"), &cpf_cnpj(document), actions))
            (note)
            section class="cartao" {
                h2 { "Endereços" }
                @if main_address(&person).is_null() { p class="suave" { "Nenhum endereço ainda." } }
                (addresses(&person))
                p class="suave pequeno" { "Cadastrado em " (moment(text(&person, "criada_em"))) ", alterado em " (moment(text(&person, "atualizada_em"))) }
            }
            @if visitor.may(Action::Emitters) {
                section class="cartao" {
                    h2 { "Dados" }
                    (data.wrong.above(Some(called)))
                    (marks())
                    form class="campos" method="post" action=(place(id)) {
                        (hidden(visitor))
                        (data.inputs(&PERSON, &NEEDED))
                        div { button class="botao" { "Salvar" } }
                    }
                }
                section class="cartao" {
                    h2 { "Acrescentar endereço" }
                    (address.wrong.above(Some(called)))
                    (marks())
                    form class="campos" method="post" action=(format!("{}/enderecos", place(id))) {
                        (filling::main_button())
                        (hidden(visitor))
                        (address.address(visitor, &NEEDED_OF_ADDRESS))
                        div class="campo c4" {
                            label { input type="checkbox" name="principal" value="1" checked; " Usar nas próximas notas" }
                        }
                        div { button class="botao" { "Acrescentar" } }
                    }
                }
            }
        },
    ))
}

fn addresses(person: &Value) -> Markup {
    html! {
        ul class="simples" {
            @for one in person["enderecos"].as_array().into_iter().flatten() {
                li {
                    (text(one, "logradouro")) ", " (text(one, "numero"))
                    @if !text(one, "complemento").is_empty() { ", " (text(one, "complemento")) }
                    ", " (text(one, "bairro")) ", " (city(one)) ", CEP " (text(one, "cep"))
                    @if one["principal"] == true { " " span class="selo ok" { "usado nas notas" } }
                }
            }
        }
    }
}

async fn change(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Emitters)?;
    let refused = async |wrong: Wrongs| -> Result<Response, Problem> {
        let filled = Filled::refused(fields, wrong);
        let page = shown(visitor, &id, html! {}, Some(filled), None).await?;
        Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
    };
    let wrong = lacking(fields, &["nome"]);
    if !wrong.is_empty() {
        return refused(at_once(fields, wrong)).await;
    }
    let body = Value::Object(members(fields, &["nome", "email", "ie", "im"], false));
    let path = format!("/api/v1/pessoas/{}", encoded(&id));
    let reply = sent.ask(Method::PATCH, &path, Some(&body)).await?;
    if !reply.ok() {
        return refused(wrongs(&reply)).await;
    }
    saved(visitor, &id).await
}

async fn address(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Emitters)?;
    // Nothing is looked up, and charged, for a customer that is not there.
    visitor
        .get(&format!("/api/v1/pessoas/{}", encoded(&id)))
        .await?;
    if let Some(filled) = filling::pressed(visitor, fields, ("cpf_cnpj", "nome")).await? {
        let status = filled.status();
        let page = shown(visitor, &id, html! {}, None, Some(filled)).await?;
        return Ok((status, page).into_response());
    }
    let refused = async |wrong: Wrongs| -> Result<Response, Problem> {
        let filled = Filled::refused(fields, wrong);
        let page = shown(visitor, &id, html! {}, None, Some(filled)).await?;
        Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
    };
    let mut body = match address_of(visitor, fields).await? {
        Ok(body) => body,
        Err(wrong) => return refused(at_once(fields, wrong)).await,
    };
    body["principal"] = fields.on("principal").into();
    let path = format!("/api/v1/pessoas/{}/enderecos", encoded(&id));
    let reply = sent.ask(Method::POST, &path, Some(&body)).await?;
    if !reply.ok() {
        return refused(wrongs(&reply)).await;
    }
    saved(visitor, &id).await
}

async fn saved(visitor: &Visitor, id: &str) -> Result<Response, Problem> {
    visitor.note("pessoa.alterada", id, "").await?;
    Ok(Redirect::to(&format!("{}?salvo=1", place(id))).into_response())
}
