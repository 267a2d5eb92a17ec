//! Products to choose from: those that are registered, those of the company's
//! last notes, and those of the catalogue, which costs credits in Produção; and
//! keeping the one of an item.

use super::lookups::{Found, stopped};
use super::past;
use super::register::{self, FIELDS, Outcome};
use super::rows::{ITEMS, named};
use super::wrong::{Refused, Said, Wrong};
use crate::form::Fields;
use crate::form::amount::written_money;
use crate::once;
use crate::pages::listing::items;
use crate::parts::encoded;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::http::Method;
use data::search::fold;
use serde_json::Value;
use store::tables::produtos::ProductRow;

/// Notes that are looked at for products.
const NOTES: usize = 30;
/// Products a list shows of each place.
const SHOWN: usize = 20;

/// A product: fields of an item, as the form has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product(Vec<(&'static str, String)>);

impl Product {
    /// Of an item of a note.
    fn of_item(item: &Value) -> Product {
        let names = [
            ("descricao", "descricao"),
            ("codigo", "codigo"),
            ("ncm", "ncm"),
            ("cfop", "cfop"),
            ("cest", "cest"),
            ("unidade", "unidade"),
            ("gtin", "gtin"),
            ("valor", "valor_unitario"),
        ];
        let read = |(field, member): (&'static str, &str)| {
            let value = member_text(item, member);
            let value = if field == "valor" {
                written_money(&value)
            } else {
                value
            };
            (field, value)
        };
        let fields = names.into_iter().map(read);
        Product(
            fields
                .filter(|(_, value)| !value.is_empty() && value != "SEM GTIN")
                // A code that the hub made of the operation is none.
                .filter(|(name, value)| *name != "codigo" || !value.starts_with("CFOP"))
                .collect(),
        )
    }

    /// Of the register.
    fn of_register(product: &ProductRow) -> Product {
        let read = FIELDS.map(|field| (field, register::shown(product, field)));
        Product(
            read.into_iter()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
        )
    }

    /// Of a row of the catalogue.
    fn of_catalogue(row: &Value) -> Product {
        // A reference is only a guess.
        let cest = Some(&row["cest"]).filter(|cest| cest["referencia"] != true);
        let read = [
            ("descricao", member_text(row, "nome")),
            ("ncm", member_text(&row["ncm"], "codigo")),
            (
                "cest",
                cest.map_or(String::new(), |cest| member_text(cest, "codigo")),
            ),
            ("unidade", member_text(row, "unidade")),
            ("gtin", member_text(row, "gtin")),
        ];
        Product(
            read.into_iter()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
        )
    }

    fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(field, _)| *field == name);
        found.map_or("", |(_, value)| value)
    }

    /// What people know it by.
    pub fn name(&self) -> &str {
        self.get("descricao")
    }

    /// Whether somebody takes it for another one: by its code, else its name.
    fn is_like(&self, other: &Product) -> bool {
        let code = self.get("codigo");
        self.name() == other.name() || !code.is_empty() && code == other.get("codigo")
    }

    /// Code, NCM and price.
    pub fn facts(&self) -> String {
        let mut facts = Vec::new();
        if !self.get("codigo").is_empty() {
            facts.push(format!("código {}", self.get("codigo")));
        }
        if !self.get("ncm").is_empty() {
            facts.push(format!("NCM {}", self.get("ncm")));
        }
        if !self.get("valor").is_empty() {
            facts.push(format!("R$ {}", self.get("valor")));
        }
        facts.join(", ")
    }

    /// As the value of a button carries it.
    pub fn carried(&self) -> String {
        let pairs = self.0.iter();
        let pairs = pairs.map(|(name, value)| format!("{name}={}", encoded(value)));
        pairs.collect::<Vec<_>>().join("&")
    }
}

/// A member as text: of a number its digits.
fn member_text(value: &Value, name: &str) -> String {
    match &value[name] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Products that are registered and have the words, the code or the bar code;
/// then those of the company's last notes.
///
/// # Errors
/// They could not be read.
pub async fn known(visitor: &Visitor, fields: &Fields) -> Result<Vec<Product>, Problem> {
    let words = fields.get("produto_busca");
    let registered = register::search(visitor, words, SHOWN).await?;
    let mut found: Vec<Product> = registered.iter().map(Product::of_register).collect();
    for product in of_notes(visitor, fields).await? {
        if !found.iter().any(|one| one.is_like(&product)) {
            found.push(product);
        }
    }
    Ok(found)
}

/// Products of the company's last notes that have the words, each once.
///
/// # Errors
/// The notes could not be read.
async fn of_notes(visitor: &Visitor, fields: &Fields) -> Result<Vec<Product>, Problem> {
    let mut path = format!("/api/v1/nfe?limite={NOTES}&status=autorizada");
    if !fields.get("emitente").is_empty() {
        path.push_str(&format!("&emitente_id={}", encoded(fields.get("emitente"))));
    }
    let listed = visitor.get(&path).await?;
    let wanted = fold(fields.get("produto_busca"));
    let mut found: Vec<Product> = Vec::new();
    for note in items(&listed) {
        let Some(row) = past::row(visitor, text(note, "nota_id")).await? else {
            continue;
        };
        let request = past::request(visitor, &row).await?.unwrap_or_default();
        for item in request["itens"].as_array().into_iter().flatten() {
            let product = Product::of_item(item);
            let said = fold(&format!("{} {}", product.name(), product.get("codigo")));
            let fits = wanted.split_whitespace().all(|word| said.contains(word));
            let new = found.iter().all(|one| one.name() != product.name());
            if fits && new && !product.name().is_empty() && found.len() < SHOWN {
                found.push(product);
            }
        }
    }
    Ok(found)
}

/// Products of the catalogue that have the words, or the bar code.
///
/// # Errors
/// It could not be asked.
pub async fn of_catalogue(
    visitor: &Visitor,
    fields: &Fields,
) -> Result<Result<Vec<Product>, Found>, Problem> {
    let words = fields.get("produto_busca");
    if words.is_empty() {
        return Ok(Err(Found::wrong(Wrong::at("produto_busca", ""))));
    }
    let path = format!(
        "/api/v1/catalogo/buscar?limite={SHOWN}&q={}",
        encoded(words)
    );
    let form = fields.get(once::FIELD);
    let reply = visitor.ask_once(form, Method::GET, &path, None).await?;
    if !reply.ok() {
        let what = "O catálogo não está disponível agora, e nada foi cobrado.";
        return Ok(Err(
            stopped(&reply).unwrap_or_else(|| Found::said(Said::new(what)))
        ));
    }
    let answer = reply.json();
    let found = items(&answer).iter().map(Product::of_catalogue);
    Ok(Ok(found.collect()))
}

/// Keeps the product of an item in the register.
///
/// # Errors
/// The person may not, or the database failed.
pub async fn keep(visitor: &Visitor, fields: &Fields, row: usize) -> Result<Found, Problem> {
    visitor.must(Action::Emitters)?;
    if let Some(reason) = visitor.blocked() {
        let said = Said::new(format!(
            "A conta está bloqueada. Motivo: {reason}. Fale com o suporte."
        ));
        return Ok(Found::refused(Refused {
            status: 403,
            ..Refused::saying(said)
        }));
    }
    let product = match register::read(fields, row) {
        Ok(product) => product,
        Err(wrong) => return Ok(Found::refused(Refused::of_form(wrong))),
    };
    let name = product.descricao.clone();
    let said = match register::keep(visitor, product).await? {
        Outcome::New(id) => {
            visitor.note("produto.cadastrado", &id, &name).await?;
            return Ok(Found::note("Produto guardado no cadastro."));
        }
        Outcome::Changed(id) => {
            visitor.note("produto.alterado", &id, &name).await?;
            return Ok(Found::note("Produto atualizado no cadastro."));
        }
        Outcome::Full => Said::new(register::full()),
        Outcome::Unlike(other) => Said::new(format!(
            "O código já é de “{other}” no cadastro. Mude o código, ou altere o produto na página dele."
        )),
        Outcome::Taken | Outcome::Gone => {
            Said::new("O produto mudou em outra página: guarde de novo.")
        }
    };
    Ok(Found::said(said.to("/painel/produtos", "Ver os produtos")))
}

/// Puts a product that a button carries into the form: into the last row if
/// nothing is written there, else into a new one.
pub fn add(fields: &mut Fields, carried: &str) {
    let product = Fields::parse(carried.as_bytes());
    let last = ITEMS.count(fields);
    let row = if ITEMS.is_blank(fields, last) {
        last
    } else {
        ITEMS.append(fields)
    };
    let known = [
        "descricao",
        "codigo",
        "ncm",
        "cfop",
        "cest",
        "unidade",
        "gtin",
        "valor",
    ];
    for name in known {
        fields.set(&named(name, row), product.get(name));
    }
    if fields.get(&named("quantidade", row)).is_empty() {
        fields.set(&named("quantidade", row), "1");
    }
}
