//! Customers that are registered (`/pessoas`), to choose from; and keeping the
//! one of a note.

use super::lookups::{Found, address};
use super::wrong::Wrong;
use crate::form::Fields;
use crate::pages::listing::items;
use crate::parts::{cpf_cnpj, encoded};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use api::inside::Reply;
use axum::http::Method;
use markup::layout::normalize_text;
use serde_json::{Value, json};

/// Customers a list shows.
const SHOWN: usize = 50;

/// What makes an address another one; the state follows from the city.
const ADDRESS: [&str; 6] = [
    "cep",
    "logradouro",
    "numero",
    "complemento",
    "bairro",
    "codigo_ibge",
];

/// The customers to choose from.
#[derive(Default)]
pub struct Customers {
    /// Id, and name with document.
    pub options: Vec<(String, String)>,
    /// There are more than are shown.
    pub more: bool,
}

/// The newest customers of a company, or those whose name has the words that
/// are looked for.
///
/// # Errors
/// They could not be asked for.
pub async fn list(visitor: &Visitor, company: &str, words: &str) -> Result<Customers, Problem> {
    let mut path = format!("/api/v1/pessoas?limite={SHOWN}");
    for (name, value) in [("emitente_id", company), ("q", words)] {
        if !value.is_empty() {
            path.push_str(&format!("&{name}={}", encoded(value)));
        }
    }
    let reply = visitor.ask(Method::GET, &path, None).await?;
    // Words that cannot be looked for find nobody.
    let answer = if reply.ok() {
        reply.json()
    } else {
        Value::Null
    };
    let options = items(&answer).iter().map(|person| {
        let name = text(person, "nome");
        let named = format!("{name} ({})", cpf_cnpj(text(person, "cpf_cnpj")));
        (text(person, "id").to_owned(), named)
    });
    Ok(Customers {
        options: options.collect(),
        more: answer["tem_mais"] == true,
    })
}

/// Fills the chosen customer in.
///
/// # Errors
/// It could not be asked for.
pub async fn choose(visitor: &Visitor, fields: &mut Fields) -> Result<Found, Problem> {
    let id = fields.get("cliente");
    if id.is_empty() {
        return Ok(Found::wrong(Wrong::at("cliente", "")));
    }
    let path = format!("/api/v1/pessoas/{}", encoded(id));
    let person = visitor.get(&path).await?;
    fill(&person, fields);
    Ok(Found::note("Cliente preenchido."))
}

/// Fills a registered person in.
fn fill(person: &Value, fields: &mut Fields) {
    fields.set("documento", cpf_cnpj(text(person, "cpf_cnpj")));
    for name in ["nome", "email", "ie"] {
        fields.set(name, text(person, name));
    }
    address(main_address(person), fields);
}

/// Fills the person in that a draft names by its id; one that is no longer registered is left
/// out.
///
/// # Errors
/// It could not be asked for.
pub async fn registered(visitor: &Visitor, id: &str, fields: &mut Fields) -> Result<(), Problem> {
    let path = format!("/api/v1/pessoas/{}", encoded(id));
    let reply = visitor.ask(Method::GET, &path, None).await?;
    if reply.ok() {
        fill(&reply.json(), fields);
    }
    Ok(())
}

/// Registers who received a note that was issued, if the form asks for it, or brings who is
/// registered already up to the note. What cannot be registered is left out: the note is issued.
///
/// # Errors
/// It could not be asked for.
pub async fn keep(visitor: &Visitor, fields: &Fields, body: &Value) -> Result<(), Problem> {
    let party = [&body["destinatario"], &body["tomador"]];
    let party = party.into_iter().find(|party| party.is_object());
    let Some(party) = party.filter(|_| fields.on("guardar")) else {
        return Ok(());
    };
    let mut person =
        json!({ "emitente_id": fields.get("emitente"), "papeis": ["destinatario", "tomador"] });
    for name in ["cpf_cnpj", "nome", "email", "ie"] {
        if !party[name].is_null() {
            person[name] = party[name].clone();
        }
    }
    if party["endereco"].is_object() {
        let mut main = party["endereco"].clone();
        main["principal"] = true.into();
        person["enderecos"] = json!([main]);
    }
    let reply = visitor
        .ask(Method::POST, "/api/v1/pessoas", Some(&person))
        .await?;
    let known = reply.json();
    if known["ja_existia"] == true {
        return correct(visitor, &known, &person).await;
    }
    left_out(&reply);
    Ok(())
}

fn left_out(reply: &Reply) {
    if !reply.ok() {
        tracing::info!(
            status = reply.status,
            "a customer of a note was not registered"
        );
    }
}

/// Changes what a note says otherwise of a person; what it leaves empty stays. An address that
/// the person did not have becomes the one that notes use.
async fn correct(visitor: &Visitor, known: &Value, said: &Value) -> Result<(), Problem> {
    let id = text(known, "id");
    let path = format!("/api/v1/pessoas/{}", encoded(id));
    let mut changes = Vec::new();
    let new = main_address(said);
    // As the register writes texts.
    let written = |of: &Value, name: &str| normalize_text(text(of, name)).trim().to_owned();
    let is_new = |old: &Value| {
        ADDRESS
            .iter()
            .all(|name| written(new, name) == text(old, name))
    };
    let old = known["enderecos"].as_array().map_or(&[][..], Vec::as_slice);
    if new.is_object() && !old.iter().any(is_new) {
        changes.push((Method::POST, format!("{path}/enderecos"), new.clone()));
    }
    let mut data = json!({});
    for name in ["nome", "email", "ie"] {
        let of_note = match name {
            "ie" => text(said, name).replace(|c: char| !c.is_alphanumeric(), ""),
            name => written(said, name),
        };
        if !of_note.is_empty() && of_note != text(known, name) {
            data[name] = of_note.into();
        }
    }
    if data != json!({}) {
        // Behind the address: a registration is of a state that there is an address in.
        changes.push((Method::PATCH, path, data));
    }
    for (method, to, body) in changes {
        let reply = visitor.ask(method, &to, Some(&body)).await?;
        left_out(&reply);
        if reply.ok() {
            visitor.note("pessoa.alterada", id, "").await?;
        }
    }
    Ok(())
}

/// The address of a person that notes use.
pub fn main_address(person: &Value) -> &Value {
    let all = person["enderecos"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let main = all.iter().find(|one| one["principal"] == true);
    main.or(all.first()).unwrap_or(&Value::Null)
}
