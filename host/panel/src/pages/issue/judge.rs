//! A form judged by the engine before anything is stored: total, taxes and
//! price, or everything to correct.

use super::body::{Body, Payment, body, model, number};
use super::city::Cities;
use super::inputs::{ADDRESS, RECIPIENT, must};
use super::rows::{self, ITEMS, named};
use super::wrong::{Refused, Wrong};
use crate::form::Fields;
use crate::reply::Problem;
use crate::visitor::Visitor;
use api::inside::Reply;
use issuing::model::Model;
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// A request that passes, and what the engine makes of it.
pub struct Judged {
    pub model: Model,
    /// The body of the issuing operation.
    pub body: Value,
    pub payments: Vec<Payment>,
    /// The note's record: total, taxes, notices.
    pub record: Value,
    /// Credits it costs when it is authorized.
    pub price: i64,
    pub total: Decimal,
}

/// Judges a form.
///
/// # Errors
/// Outside: it could not be judged. Inside: everything to correct.
pub async fn judge(
    visitor: &Visitor,
    fields: &Fields,
    cities: &mut Cities,
) -> Result<Result<Judged, Refused>, Problem> {
    let mut made = body(visitor, fields, cities).await?;
    let mut wrong = std::mem::take(&mut made.wrong);
    let open = made.payments.iter().any(is_open);
    if open && wrong.is_empty() {
        let probed = probe(visitor, &made).await?;
        let total = match total(&probed) {
            Some(total) => total,
            None => match without_payments(Refused::of(&probed, fields)) {
                // Nothing but the probe's own payment is wrong: it is above a total of zero.
                None => Decimal::ZERO,
                Some(refused) => return Ok(Err(refused)),
            },
        };
        let change = number(fields, "troco").ok().flatten().unwrap_or_default();
        wrong.extend(filled(&mut made.payments, total + change));
    }
    if made.model != Model::Nfse {
        made.value["pagamentos"] = made.payments.iter().map(told).collect();
    }
    let reply = visitor.rehearse(made.model, made.value.clone()).await?;
    if !reply.ok() || !wrong.is_empty() {
        return Ok(Err(joined(wrong, &reply, fields)));
    }
    let record = reply.json();
    let total = total(&reply).unwrap_or_default();
    Ok(Ok(Judged {
        model: made.model,
        body: made.value,
        payments: made.payments,
        price: record["preco"].as_i64().unwrap_or_default(),
        record,
        total,
    }))
}

/// What was refused of a form, with all that must be filled in and is not: the engine says
/// nothing of an item whose amounts are missing, nor of the parts of an address of which
/// nothing is there.
pub fn with_missing(mut refused: Refused, fields: &Fields) -> Refused {
    if refused.wrong.is_empty() {
        return refused;
    }
    let model = model(fields);
    for name in missing(fields, model) {
        if refused.wrong.iter().all(|one| one.field != name) {
            refused.wrong.push(Wrong::at(&name, "Falta preencher."));
        }
    }
    let at = |field: &str| refused.wrong.iter().any(|one| one.field == field);
    // The engine puts an address that is missing altogether there; an NF-e has one without a
    // CEP, too.
    let no_code = model == Model::Nfe && fields.get("cep").is_empty() && at("logradouro");
    let no_city = at("municipio");
    refused.wrong.retain(|one| match one.field.as_str() {
        "cep" => !no_code,
        // It follows from the city.
        "uf" => !no_city,
        _ => true,
    });
    refused
}

/// The empty fields that every note of this model must have. What may come from the company's
/// registration is left to the engine.
fn missing(fields: &Fields, model: Model) -> Vec<String> {
    let mut names = Vec::new();
    for row in ITEMS.used(fields) {
        names.push(named("descricao", row));
    }
    if model == Model::Nfe {
        let party = RECIPIENT.iter().chain(ADDRESS).map(|input| input.name);
        names.extend(party.filter(|name| must(name).is_some()).map(str::to_owned));
    }
    names.retain(|name| fields.get(name).is_empty());
    names
}

fn is_open(payment: &Payment) -> bool {
    payment.amount.is_none() && payment.form != "sem_pagamento"
}

/// The total of a note as its record has it.
fn total(reply: &Reply) -> Option<Decimal> {
    let record = reply.ok().then(|| reply.json())?;
    let text = record["valor_total"].to_string();
    text.trim_matches('"').parse().ok()
}

/// Asks for the total with a payment that fits every total: of an NFC-e one
/// that is given change, of an NF-e one that is paid in part.
async fn probe(visitor: &Visitor, made: &Body) -> Result<Reply, Problem> {
    let amount = if made.model == Model::Nfce {
        "999999999.99"
    } else {
        "0.01"
    };
    let mut value = made.value.clone();
    value["pagamentos"] = json!([{ "forma": "dinheiro", "valor": amount }]);
    if let Some(members) = value.as_object_mut() {
        members.remove("troco");
    }
    visitor.rehearse(made.model, value).await
}

/// What a probe was refused for, but for its own payment, which says nothing of the form; None
/// where nothing is left.
fn without_payments(mut refused: Refused) -> Option<Refused> {
    let of_payment = |wrong: &Wrong| matches!(wrong.field.as_str(), "pago" | "forma" | "troco");
    let only = !refused.wrong.is_empty() && refused.wrong.iter().all(of_payment);
    refused.wrong.retain(|wrong| !of_payment(wrong));
    (!only || !refused.said.is_empty()).then_some(refused)
}

/// Gives the open payment what is left of the total with the change; what is wrong with it.
fn filled(payments: &mut [Payment], total: Decimal) -> Option<Wrong> {
    let said: Decimal = payments.iter().filter_map(|one| one.amount).sum();
    let left = total - said;
    let row = payments.iter().position(is_open)?;
    if left <= Decimal::ZERO && total > Decimal::ZERO {
        let what = "Os outros pagamentos já chegam ao total da nota: retire este.";
        return Some(Wrong {
            field: named("pago", row + 1),
            sentence: what.to_owned(),
        });
    }
    payments.get_mut(row)?.amount = Some(left);
    None
}

/// A payment as the API takes it.
fn told(payment: &Payment) -> Value {
    match payment.amount {
        Some(amount) => json!({ "forma": payment.form, "valor": format!("{amount:.2}") }),
        None => json!({ "forma": payment.form }),
    }
}

/// A field of an item about which the engine complains where the item's amounts are wrong.
fn of_amounts(field: &str) -> bool {
    matches!(rows::plain(field).0, "descricao" | "desconto")
}

/// Whether a field is the quantity or the price of the item of another one.
fn are_amounts(field: &str, other: &str) -> bool {
    let (name, row) = rows::plain(field);
    matches!(name, "quantidade" | "valor") && row == rows::plain(other).1
}

/// What the form knows, then what the engine finds; of each field one thing.
fn joined(wrong: Vec<Wrong>, reply: &Reply, fields: &Fields) -> Refused {
    let mut refused = Refused::of_form(wrong);
    if reply.ok() {
        return refused;
    }
    let found = Refused::of(reply, fields);
    refused.code = found.code;
    refused.document = found.document;
    if refused.wrong.is_empty() {
        refused.status = found.status;
    }
    let known: Vec<String> = refused.wrong.iter().map(|one| one.field.clone()).collect();
    let unclear_city = known.iter().any(|field| field == "uf");
    for one in found.wrong {
        let said = known.contains(&one.field) || unclear_city && one.field == "municipio";
        // What is paid follows from amounts that are to be corrected.
        let paid = one.field.starts_with("pago") || one.field == "troco";
        let follows = !known.is_empty() && paid
            || of_amounts(&one.field) && known.iter().any(|known| are_amounts(known, &one.field));
        if !said && !follows {
            refused.wrong.push(one);
        }
    }
    if known.is_empty() || !found.said.is_empty() {
        refused.said = found.said;
    }
    refused
}
