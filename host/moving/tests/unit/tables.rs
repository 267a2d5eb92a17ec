//! The tables against our own API's document.

use moving::answers::place;
use moving::kind::Kind;
use moving::names::{EMAILS, Form, ITEM, NOTE, Rows, SUMS, VOID, lines};
use moving::orders::table;
use serde_json::Value;
use std::collections::BTreeSet;

/// A part of the document, past what it refers to.
fn parts<'d>(document: &'d Value, part: &'d Value) -> Vec<&'d Value> {
    let mut open = vec![part];
    let mut found = Vec::new();
    while let Some(part) = open.pop() {
        if let Some(at) = part["$ref"]
            .as_str()
            .and_then(|text| text.strip_prefix('#'))
        {
            open.extend(document.pointer(at));
        }
        for either in ["anyOf", "oneOf", "allOf"] {
            open.extend(part[either].as_array().into_iter().flatten());
        }
        found.push(part);
    }
    found
}

/// The members of a name in a part of the document.
fn member<'d>(document: &'d Value, part: &'d Value, name: &str) -> Option<&'d Value> {
    let mut parts = parts(document, part).into_iter();
    parts.find_map(|part| part["properties"].get(name))
}

fn at<'d>(document: &'d Value, part: &'d Value, path: &str) -> Option<&'d Value> {
    let mut names = path.split('.');
    names.try_fold(part, |part, name| member(document, part, name))
}

fn entry<'d>(document: &'d Value, part: &'d Value) -> Option<&'d Value> {
    let mut parts = parts(document, part).into_iter();
    parts.find_map(|part| part.get("items"))
}

/// Places of a table that a schema does not have.
fn missing(document: &Value, schema: &Value, rows: Rows, around: &str, found: &mut Vec<String>) {
    for row in lines(rows) {
        let name = format!("{around}{}", row.theirs);
        let own = at(document, schema, row.ours);
        if !row.ours.is_empty() && own.is_none() {
            found.push(format!("{name}: {}", row.ours));
        }
        let Some(own) = own.or_else(|| row.ours.is_empty().then_some(schema)) else {
            continue;
        };
        match row.form {
            Form::List(inner) => match entry(document, own) {
                Some(inside) => missing(document, inside, inner, &format!("{name}[]."), found),
                None => found.push(format!("{name}: {} is no list", row.ours)),
            },
            Form::Texts(_) if entry(document, own).is_none() => {
                found.push(format!("{name}: {} is no list", row.ours));
            }
            Form::First(inner) => missing(document, own, inner, &format!("{name}[0]."), found),
            // Its members have their places in the same body.
            Form::Group(inner) => missing(document, schema, inner, &format!("{name}."), found),
            _ => {}
        }
    }
}

fn body<'d>(document: &'d Value, path: &str) -> &'d Value {
    let call = &document["paths"][path]["post"]["requestBody"];
    let schema = &call["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{path} has a body");
    schema
}

#[test]
fn every_place_is_a_member_of_the_api() {
    let document = api::openapi::document("");
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let schema = body(&document, &format!("/api/v1/{}", kind.own()));
        missing(
            &document,
            schema,
            table(kind),
            &format!("{kind:?} "),
            &mut found,
        );
    }
    let void = body(&document, "/api/v1/nfe/inutilizar");
    missing(&document, void, VOID, "void ", &mut found);
    let mail = body(&document, "/api/v1/documentos/{ref}/email");
    missing(&document, mail, EMAILS, "mail ", &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Every place of a table, with what a name of it leads to; entries of lists are `[0]`.
fn places(rows: Rows, ours: &str, theirs: &str, found: &mut Vec<(String, String)>) {
    for row in lines(rows) {
        let (own, name) = (
            format!("{ours}{}", row.ours),
            format!("{theirs}{}", row.theirs),
        );
        match row.form {
            Form::List(inner) => {
                places(inner, &format!("{own}[0]."), &format!("{name}[0]."), found);
            }
            Form::First(inner) => places(inner, &format!("{own}."), &format!("{name}[0]."), found),
            Form::Group(inner) => places(inner, ours, &format!("{name}."), found),
            _ if row.ours.is_empty() => {}
            _ => found.push((own, name)),
        }
    }
}

#[test]
fn every_place_leads_back_to_a_name_that_is_read_into_it() {
    for kind in Kind::ALL {
        for items in ["items", "itens"] {
            let mut found = Vec::new();
            places(table(kind), "", "", &mut found);
            found.retain(|(own, name)| !own.starts_with("itens[") || name.starts_with(items));
            for (own, _) in &found {
                let told = place(table(kind), own, items);
                let names = found.iter().filter(|(other, _)| other == own);
                let names: Vec<&String> = names.map(|(_, name)| name).collect();
                assert!(names.contains(&&told), "{own} is {told}, not of {names:?}");
            }
        }
    }
}

#[test]
fn a_place_without_a_name_of_its_own_has_that_of_its_group_or_list() {
    for (ours, theirs) in [
        ("itens[3]", "items[3]"),
        (
            "itens[3].impostos.icms",
            "items[3].icms_situacao_tributaria",
        ),
        ("itens", "items"),
        ("destinatario", "cnpj_destinatario"),
        (
            "pagamentos[0].cartao",
            "formas_pagamento[0].tipo_integracao",
        ),
        ("nada", "nada"),
    ] {
        assert_eq!(place(NOTE, ours, "items"), theirs, "{ours}");
    }
}

#[test]
fn a_sum_adds_up_a_member_of_the_items() {
    let items: BTreeSet<&str> = lines(ITEM).map(|row| row.theirs).collect();
    let sums = lines(NOTE).filter(|row| matches!(row.form, Form::Sum));
    let stated: BTreeSet<&str> = sums.map(|row| row.theirs).collect();
    let mut counted = BTreeSet::from(["valor_total"]);
    for sum in SUMS {
        assert!(items.contains(sum.part), "{} is of no item", sum.part);
        assert!(counted.insert(sum.total), "{} is there twice", sum.total);
    }
    assert_eq!(stated, counted);
}
