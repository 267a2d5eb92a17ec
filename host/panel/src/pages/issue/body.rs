//! The body an integration would send for the form.

use super::city::Cities;
use super::rows::{ITEMS, PAYMENTS, named};
use super::wrong::Wrong;
use crate::form::Fields;
use crate::form::amount::{NotANumber, amount, two_meanings};
use crate::reply::Problem;
use crate::visitor::Visitor;
use issuing::model::Model;
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Map, Value, json};

/// Numbers of a form are below it, so that sums of them fit.
const BOUND: i64 = 1_000_000_000_000;

/// What to say of a consumer without a document, of whom a note can say nothing.
const NOBODY: &str = "Sem CPF ou CNPJ, os outros dados do cliente não vão na nota: escreva o CPF ou o CNPJ, ou apague os outros.";

/// A request, still without its payments.
pub struct Body {
    pub model: Model,
    pub value: Value,
    /// What the form says of payments; nothing in a service note.
    pub payments: Vec<Payment>,
    /// What the form itself knows to be wrong.
    pub wrong: Vec<Wrong>,
}

/// A payment of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    pub form: String,
    /// None: what is left of the total.
    pub amount: Option<Decimal>,
}

/// An item with its amounts, as the form has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub row: usize,
    pub quantity: Decimal,
    pub price: Decimal,
    pub discount: Decimal,
}

impl Line {
    /// Quantity times price, in cents.
    pub fn gross(&self) -> Decimal {
        let gross = self.quantity.checked_mul(self.price).unwrap_or_default();
        gross.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
    }

    pub fn total(&self) -> Decimal {
        self.gross() - self.discount
    }
}

/// The model of a kind of note, as the form names it.
pub fn model_of(kind: &str) -> Model {
    match kind {
        "nfce" => Model::Nfce,
        "nfse" => Model::Nfse,
        _ => Model::Nfe,
    }
}

/// The model a form asks for.
pub fn model(fields: &Fields) -> Model {
    model_of(fields.get("tipo"))
}

/// The part of the API's paths of a model.
pub fn path(model: Model) -> &'static str {
    match model {
        Model::Nfce => "nfce",
        Model::Nfse => "nfse",
        Model::Nfe | Model::Cte | Model::Mdfe => "nfe",
    }
}

/// A number of a field; None where it is empty.
///
/// # Errors
/// What is wrong with it.
pub fn number(fields: &Fields, name: &str) -> Result<Option<Decimal>, Wrong> {
    let text = fields.get(name);
    if text.is_empty() {
        return Ok(None);
    }
    match amount(text) {
        Ok(number) if number.is_sign_negative() && !number.is_zero() => {
            Err(Wrong::at(name, "O número não pode ser negativo."))
        }
        Ok(number) if number >= Decimal::from(BOUND) => {
            Err(Wrong::at(name, "O número é grande demais."))
        }
        Ok(number) => Ok(Some(number)),
        Err(NotANumber::TwoMeanings) => Err(Wrong {
            field: name.to_owned(),
            sentence: two_meanings(text),
        }),
        Err(NotANumber::Unreadable) => Err(Wrong::at(name, "Não é um número.")),
    }
}

/// A number that must be there and above zero; zero after saying so.
fn above_zero(fields: &Fields, name: &str, wrong: &mut Vec<Wrong>) -> Decimal {
    match number(fields, name) {
        Ok(Some(number)) if number > Decimal::ZERO => return number,
        Ok(Some(_)) => wrong.push(Wrong::at(name, "Não pode ser zero.")),
        Ok(None) => wrong.push(Wrong::at(name, "Falta preencher.")),
        Err(one) => wrong.push(one),
    }
    Decimal::ZERO
}

/// A number that may be there.
fn optional(fields: &Fields, name: &str, wrong: &mut Vec<Wrong>) -> Option<Decimal> {
    number(fields, name).unwrap_or_else(|one| {
        wrong.push(one);
        None
    })
}

/// An amount that may be there and goes into the note as cents.
fn cents(fields: &Fields, name: &str, wrong: &mut Vec<Wrong>) -> Option<Decimal> {
    let amount = optional(fields, name, wrong)?;
    if amount.normalize().scale() > 2 {
        wrong.push(Wrong::at(name, "O valor tem frações de centavo."));
        return None;
    }
    Some(amount)
}

/// The items' amounts, and what is wrong with them.
pub fn lines(fields: &Fields) -> (Vec<Line>, Vec<Wrong>) {
    let mut wrong = Vec::new();
    let rows = ITEMS.used(fields);
    let service = model(fields) == Model::Nfse;
    // The engine rounds the discounts of goods, once they are divided.
    let discount = if service { cents } else { optional };
    let lines = rows.into_iter().map(|row| {
        let quantity = named("quantidade", row);
        let line = Line {
            row,
            // A service is done once where nothing else is said.
            quantity: if service && fields.get(&quantity).is_empty() {
                Decimal::ONE
            } else {
                above_zero(fields, &quantity, &mut wrong)
            },
            price: above_zero(fields, &named("valor", row), &mut wrong),
            discount: discount(fields, &named("desconto", row), &mut wrong).unwrap_or_default(),
        };
        if line.gross() > Decimal::ZERO && line.discount > line.gross() {
            wrong.push(Wrong::at(
                &named("desconto", row),
                "O desconto passa do valor do item.",
            ));
        }
        line
    });
    let lines = lines.collect();
    (lines, wrong)
}

/// The request of a form.
///
/// # Errors
/// A question to the hub could not be asked.
pub async fn body(
    visitor: &Visitor,
    fields: &Fields,
    cities: &mut Cities,
) -> Result<Body, Problem> {
    let model = model(fields);
    let (lines, mut wrong) = lines(fields);
    let mut value = json!({ "emitente_id": fields.get("emitente") });
    let party = party(visitor, fields, model, cities, &mut wrong).await?;
    let payments = match model {
        Model::Nfse => {
            service(fields, &lines, party, &mut value, &mut wrong);
            Vec::new()
        }
        Model::Nfe | Model::Nfce | Model::Cte | Model::Mdfe => {
            let anonymous = model == Model::Nfce && fields.get("documento").is_empty();
            if !anonymous {
                value["destinatario"] = party;
            } else if party.as_object().is_some_and(|members| !members.is_empty()) {
                wrong.push(Wrong {
                    field: "documento".to_owned(),
                    sentence: NOBODY.to_owned(),
                });
            }
            goods(fields, &lines, &mut value, &mut wrong);
            payments(fields, &mut wrong)
        }
    };
    put(
        &mut value,
        "informacoes_complementares",
        fields.get("informacoes"),
    );
    Ok(Body {
        model,
        value,
        payments,
        wrong,
    })
}

/// Sets a member that has a text.
fn put(value: &mut Value, name: &str, text: &str) {
    if !text.is_empty() {
        value[name] = text.into();
    }
}

/// A code without points and dashes.
pub fn code(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Who receives the note.
async fn party(
    visitor: &Visitor,
    fields: &Fields,
    model: Model,
    cities: &mut Cities,
    wrong: &mut Vec<Wrong>,
) -> Result<Value, Problem> {
    let mut party = Value::Object(Map::new());
    put(&mut party, "cpf_cnpj", fields.get("documento"));
    put(&mut party, "nome", fields.get("nome"));
    put(&mut party, "email", fields.get("email"));
    if model != Model::Nfse {
        put(&mut party, "ie", fields.get("ie"));
    }
    let names = [
        "cep",
        "logradouro",
        "numero",
        "complemento",
        "bairro",
        "municipio",
    ];
    if names.iter().all(|name| fields.get(name).is_empty()) {
        return Ok(party);
    }
    let mut address = json!({});
    put(&mut address, "cep", &code(fields.get("cep")));
    for name in ["logradouro", "numero", "complemento", "bairro"] {
        put(&mut address, name, fields.get(name));
    }
    let mut uf = fields.get("uf").to_owned();
    let city = fields.get("municipio");
    if !city.is_empty() {
        match cities.find(visitor, city, &uf).await? {
            Ok(city) => {
                address["codigo_ibge"] = city.code.into();
                if uf.is_empty() {
                    uf = city.uf;
                }
            }
            Err(one) => wrong.push(one),
        }
    }
    // In a service note the municipality says the state.
    if model != Model::Nfse {
        put(&mut address, "uf", &uf);
    }
    party["endereco"] = address;
    Ok(party)
}

/// Items and what else a product note says.
fn goods(fields: &Fields, lines: &[Line], value: &mut Value, wrong: &mut Vec<Wrong>) {
    let items = lines.iter().map(|line| {
        let field = |name: &str| fields.get(&named(name, line.row));
        let mut item = json!({
            "quantidade": line.quantity.to_string(), "valor_unitario": line.price.to_string(),
        });
        for name in ["descricao", "codigo", "unidade"] {
            put(&mut item, name, field(name));
        }
        for name in ["ncm", "cfop", "cest", "gtin"] {
            put(&mut item, name, &code(field(name)));
        }
        if !line.discount.is_zero() {
            item["desconto"] = line.discount.to_string().into();
        }
        item
    });
    value["itens"] = items.collect();
    put(value, "natureza_operacao", fields.get("natureza"));
    put(value, "presenca", fields.get("presenca"));
    let sums = [
        ("frete", optional(fields, "frete", wrong)),
        ("troco", cents(fields, "troco", wrong)),
    ];
    for (name, amount) in sums {
        if let Some(amount) = amount {
            value[name] = amount.to_string().into();
        }
    }
}

/// The payments of a form: at most one without an amount.
fn payments(fields: &Fields, wrong: &mut Vec<Wrong>) -> Vec<Payment> {
    let mut payments = Vec::new();
    let mut open = false;
    for row in 1..=PAYMENTS.count(fields) {
        let form = match fields.get(&named("forma", row)) {
            "" => "pix",
            given => given,
        };
        let name = named("pago", row);
        let amount = cents(fields, &name, wrong);
        if fields.get(&name).is_empty() && form != "sem_pagamento" {
            if open {
                wrong.push(Wrong::at(&name, "Só um pagamento pode ficar sem valor."));
            }
            open = true;
        }
        payments.push(Payment {
            form: form.to_owned(),
            amount,
        });
    }
    let without = payments.iter().any(|one| one.form == "sem_pagamento");
    let change = number(fields, "troco").ok().flatten();
    if without && change.is_some_and(|change| !change.is_zero()) {
        let what = "Sem pagamento não há troco: deixe vazio.";
        wrong.push(Wrong::at("troco", what));
    }
    payments
}

/// Service, values and day of a service note. Several lines of the form are one
/// service: the layout has no more.
fn service(
    fields: &Fields,
    lines: &[Line],
    party: Value,
    value: &mut Value,
    wrong: &mut Vec<Wrong>,
) {
    if party.as_object().is_some_and(|members| !members.is_empty()) {
        value["tomador"] = party;
    }
    let mut service = json!({ "descricao": description(fields, lines) });
    let national = code(fields.get("servico"));
    put(&mut service, "codigo_tributacao_nacional", &national);
    value["servico"] = service;
    let gross: Decimal = lines.iter().map(Line::gross).sum();
    let discount: Decimal = lines.iter().map(|line| line.discount).sum();
    let mut values = json!({ "servico": format!("{gross:.2}") });
    if !discount.is_zero() {
        values["desconto_incondicionado"] = format!("{discount:.2}").into();
    }
    let mut iss = json!({});
    if let Some(rate) = optional(fields, "aliquota", wrong) {
        iss["aliquota"] = rate.to_string().into();
    }
    put(&mut iss, "retencao", fields.get("retido"));
    if iss.as_object().is_some_and(|members| !members.is_empty()) {
        values["iss"] = iss;
    }
    value["valores"] = values;
    put(value, "data_competencia", fields.get("competencia"));
}

/// What was done: of one line its text, of several each with its amounts.
fn description(fields: &Fields, lines: &[Line]) -> String {
    let text = |line: &Line| fields.get(&named("descricao", line.row)).to_owned();
    match lines {
        [one] => text(one),
        several => {
            let texts = several.iter().map(|line| {
                let quantity = line.quantity.normalize().to_string().replace('.', ",");
                let total = format!("{:.2}", line.gross()).replace('.', ",");
                format!("{quantity} x {}: R$ {total}", text(line))
            });
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}
