//! What of an NF-e or NFC-e is not one member after the other.

use super::read::{Reading, at, set};
use super::sums;
use super::values::{decimal_at, given, text_at};
use crate::kind::Kind;
use serde_json::{Map, Value, json};

/// What their API writes where an NFC-e says nothing.
const NFCE_OPERATION: &str = "VENDA AO CONSUMIDOR";

/// Parties whose city may be told by its name alone.
const PARTIES: [&str; 3] = ["destinatario", "retirada", "entrega"];

/// Situations of fuel that is taxed once, by the unit.
const MONO: [&str; 4] = ["02", "15", "53", "61"];

/// Completes a body that was read by its table.
pub(super) fn complete(kind: Kind, given_body: &Map<String, Value>, reading: &mut Reading<'_>) {
    let items = given_items(given_body, reading);
    for (index, item) in items.iter().enumerate() {
        taxes(index, item, given_body, reading);
    }
    for party in PARTIES {
        city(party, reading);
    }
    broker(given_body, reading);
    if kind == Kind::Nfce {
        consumer(reading);
    } else if at(&reading.body, "pagamentos").is_none() {
        // Their notes need no payment in the request; the layout wants one.
        set(
            &mut reading.body,
            "pagamentos",
            json!([{ "forma": "90", "valor": "0" }]),
        );
        reading.notice(
            "formas_pagamento",
            "Sem formas_pagamento, a nota diz que não há pagamento (90).",
        );
    }
    sums::check(given_body, &items, reading);
    if given(given_body, "valor_total").is_some() && decimal_at(given_body, "valor_total").is_none()
    {
        reading.fault(
            "valor_total",
            "Informe um número, com ponto nas casas decimais.",
        );
    }
}

/// Their name of the list of items in this body.
pub fn items_name(body: &Map<String, Value>) -> &'static str {
    if given(body, "items").is_none() && given(body, "itens").is_some() {
        "itens"
    } else {
        "items"
    }
}

/// The items as they came.
fn given_items<'v>(
    body: &'v Map<String, Value>,
    reading: &mut Reading<'_>,
) -> Vec<&'v Map<String, Value>> {
    if given(body, "items").is_some() && given(body, "itens").is_some() {
        reading.fault("itens", "Informe items ou itens, não os dois.");
    }
    let list = given(body, items_name(body)).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect()
}

/// The situation of an item's ICMS, and the two members whose place it decides.
fn taxes(
    index: usize,
    item: &Map<String, Value>,
    body: &Map<String, Value>,
    reading: &mut Reading<'_>,
) {
    let field = |name: &str| format!("{}[{index}].{name}", items_name(body));
    let situation = situation(item);
    if let Some(situation) = &situation
        && situation.members.is_empty()
    {
        reading.fault(
            field("icms_situacao_tributaria"),
            "A situação tributária do ICMS não é conhecida.",
        );
    }
    let mono = situation.as_ref().is_some_and(|found| found.mono);
    let deferred = situation.as_ref().is_some_and(|found| found.mono_deferred);
    let mut members: Vec<(&str, Value)> = Vec::new();
    if let Some(situation) = situation {
        members.extend(situation.members);
    }
    for (name, usual, of_fuel, is_fuel) in [
        ("icms_aliquota", "aliquota", "mono.aliquota", mono),
        (
            "icms_percentual_diferimento",
            "diferimento.percentual",
            "mono.diferimento",
            deferred,
        ),
    ] {
        let Some(value) = given(item, name) else {
            continue;
        };
        match super::values::simple(crate::names::Form::Number, value) {
            Ok(value) => members.push((if is_fuel { of_fuel } else { usual }, value)),
            Err(expected) => reading.fault(field(name), expected),
        }
    }
    let items = reading.body.get_mut("itens").and_then(Value::as_array_mut);
    let ours = items.and_then(|items| items.get_mut(index));
    if let Some(ours) = ours.and_then(Value::as_object_mut) {
        for (name, value) in members {
            set(ours, &format!("impostos.icms.{name}"), value);
        }
    }
}

/// What a situation of the ICMS means.
struct Situation {
    /// Members of `impostos.icms`; none where it is not known.
    members: Vec<(&'static str, Value)>,
    mono: bool,
    mono_deferred: bool,
}

/// `00` to `90`, `101` to `900`, `10_partilha` and the like, `41_st`, `60_st`.
fn situation(item: &Map<String, Value>) -> Option<Situation> {
    let text = text_at(item, "icms_situacao_tributaria")?;
    let (digits, group) = match text.split_once('_') {
        Some((digits, "partilha")) => (digits, Some("partilha")),
        Some((digits, "st")) => (digits, Some("st_repasse")),
        Some(_) => ("", None),
        None => (text.as_str(), None),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let mut members = Vec::new();
    let cst = format!("{digits:0>2}");
    match digits.len() {
        1 | 2 if plain => members.push(("cst", Value::from(cst.as_str()))),
        3 if plain => members.push(("csosn", digits.into())),
        _ => {}
    }
    if let Some(group) = group
        && !members.is_empty()
    {
        members.push(("grupo", group.into()));
    }
    Some(Situation {
        members,
        mono: MONO.contains(&cst.as_str()) && digits.len() < 3,
        mono_deferred: cst == "53",
    })
}

/// Their bodies may name a city without its code.
fn city(party: &str, reading: &mut Reading<'_>) {
    let member = |name: &str, reading: &Reading<'_>| {
        let value = at(&reading.body, &format!("{party}.endereco.{name}"));
        value.and_then(Value::as_str).map(str::to_owned)
    };
    if member("codigo_ibge", reading).is_some() {
        return;
    }
    let (Some(name), Some(uf)) = (member("cidade", reading), member("uf", reading)) else {
        return;
    };
    if uf.eq_ignore_ascii_case("EX") {
        return;
    }
    let wanted = data::search::fold(&name);
    let found = data::municipalities::all().iter().find(|city| {
        let of_state = city
            .uf()
            .is_some_and(|known| known.abbreviation.eq_ignore_ascii_case(&uf));
        of_state && data::search::fold(city.name) == wanted
    });
    match found {
        Some(city) => {
            let path = format!("{party}.endereco.codigo_ibge");
            set(&mut reading.body, &path, city.codigo.to_string().into());
        }
        None => reading.fault(
            format!("municipio_{party}"),
            "Não há município com este nome nesta UF: confira, ou informe o código do IBGE.",
        ),
    }
}

/// Whether there is a marketplace follows from its members.
fn broker(body: &Map<String, Value>, reading: &mut Reading<'_>) {
    let there = given(body, "cnpj_intermediario").is_some();
    match text_at(body, "indicador_intermediario").as_deref() {
        Some("1") if !there => reading.fault(
            "cnpj_intermediario",
            "Com indicador_intermediario 1, informe o CNPJ do intermediador.",
        ),
        Some("0") if there => reading.fault(
            "indicador_intermediario",
            "Com cnpj_intermediario, o indicador é 1.",
        ),
        Some("0" | "1") | None => {}
        Some(_) => reading.fault("indicador_intermediario", "O indicador é 0 ou 1."),
    }
}

/// What an NFC-e says where its sender says nothing.
fn consumer(reading: &mut Reading<'_>) {
    if at(&reading.body, "natureza_operacao").is_none() {
        set(
            &mut reading.body,
            "natureza_operacao",
            NFCE_OPERATION.into(),
        );
    }
    let recipient = reading.body.get("destinatario").and_then(Value::as_object);
    // An indicator alone is no consumer.
    let nobody =
        recipient.is_some_and(|recipient| recipient.keys().all(|name| name == "indicador_ie"));
    if nobody {
        reading.body.remove("destinatario");
    }
}
