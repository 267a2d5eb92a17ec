//! What the document says of members: each has a type, and each thing its `id`.

use serde_json::Value;
use std::collections::BTreeSet;

/// Words of JSON Schema of which one says what a value is.
const SAYS: [&str; 7] = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"];

/// Schemas and members that may have any members, and why.
const ANYTHING: &[(&str, &str)] = &[
    (
        ".inf_nfe",
        "official names of elements, laid over what the hub builds",
    ),
    (
        ".inf_dps",
        "official names of elements, laid over what the hub builds",
    ),
    (
        ".dados",
        "members of an event, of which the catalogue says which they are",
    ),
    ("ItemRecusado", "what a refusal of a batch says besides"),
    (
        "fiscal_perfil_sugerido_200.perfil",
        "a part of a company's tax profile, which has a type where it is sent",
    ),
    (
        "nfe_parse_200",
        "the members of the document that was read, of any kind",
    ),
    (
        "nfe_parse_200.fora_do_pedido",
        "what a document has and a request has not",
    ),
    (
        "nfe_parse_200.protocolo",
        "the protocol, as its layout names it",
    ),
    ("openapi_200", "this document"),
    ("psp.aviso", "what a payment provider sends"),
];

fn document() -> Value {
    api::openapi::document("https://hub.example")
}

/// Everything in a document that is a schema, by its place: components, bodies.
fn schemas(document: &Value) -> Vec<(String, &Value)> {
    let components = document["components"]["schemas"].as_object();
    let components = components.expect("schemas").iter();
    let mut all: Vec<(String, &Value)> = components
        .map(|(name, schema)| (name.clone(), schema))
        .collect();
    let items = document["paths"].as_object().expect("paths").values();
    for one in items.flat_map(|item| item.as_object().expect("methods").values()) {
        let name = one["operationId"].as_str().expect("a name");
        let content = one["requestBody"]["content"].as_object();
        for media in content.into_iter().flatten().map(|(_, media)| media) {
            all.push((name.to_owned(), &media["schema"]));
        }
    }
    all
}

/// Calls `look` with a schema and everything in it, by its place.
fn walk<'s>(place: &str, schema: &'s Value, look: &mut dyn FnMut(&str, &'s Value)) {
    look(place, schema);
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        walk(&format!("{place}.{name}"), member, look);
    }
    for inside in ["items", "additionalProperties"] {
        if let Some(inside) = schema.get(inside).filter(|inside| inside.is_object()) {
            walk(&format!("{place}[]"), inside, look);
        }
    }
    for parts in ["anyOf", "oneOf", "allOf"] {
        for part in schema[parts].as_array().into_iter().flatten() {
            // A part may say only what the whole must have besides its type.
            if SAYS.iter().any(|word| part.get(word).is_some()) {
                walk(place, part, look);
            }
        }
    }
}

/// May it have members of any name and kind?
fn is_anything(schema: &Value) -> bool {
    let nothing_said =
        schema.get("properties").is_none() && schema.get("additionalProperties").is_none();
    let any = schema["additionalProperties"] == true
        || schema["additionalProperties"] == serde_json::json!({});
    any || (schema["type"] == "object" && nothing_said && schema.get("allOf").is_none())
}

/// Is this place the one of a row? One that begins with a dot is that member of anything.
fn is_known(place: &str, row: &(&str, &str)) -> bool {
    match row.0.strip_prefix('.') {
        Some(_) => place.ends_with(row.0),
        None => place == row.0,
    }
}

#[test]
fn every_member_has_a_type() {
    let document = document();
    let mut bare = BTreeSet::new();
    let mut anything = BTreeSet::new();
    let mut typed = 0;
    for (name, schema) in schemas(&document) {
        walk(&name, schema, &mut |place, schema| {
            if !SAYS.iter().any(|word| schema.get(word).is_some()) {
                bare.insert(place.to_owned());
            } else if is_anything(schema) {
                anything.insert(place.to_owned());
            } else {
                typed += 1;
            }
        });
    }
    assert!(bare.is_empty(), "members of no type: {bare:#?}");
    assert!(typed > 4_000, "only {typed} typed");
    let unknown: Vec<&String> = (anything.iter())
        .filter(|place| !ANYTHING.iter().any(|row| is_known(place, row)))
        .collect();
    assert!(
        unknown.is_empty(),
        "members of any kind: give them a type, or add them with the reason: {unknown:#?}"
    );
    let gone: Vec<_> = (ANYTHING.iter())
        .filter(|row| !anything.iter().any(|place| is_known(place, row)))
        .collect();
    assert!(gone.is_empty(), "not in the document any more: {gone:#?}");
}

/// Answers and their parts that name another thing by its id and are none with an id of
/// their own, and why.
const PARENTS: &[(&str, &str)] = &[
    ("CertificadoEvento", "a company's certificate"),
    ("CoberturaEvento", "the municipality of a company"),
    (
        "EventoDistribuido",
        "an event of the authority, named by its key and kind",
    ),
    (
        "EventoRecebido",
        "an event of the authority, named by its key and kind",
    ),
    (
        "ItemDoHistorico",
        "something that happened; it names the event or the mail",
    ),
    ("LacunaDeNumeracao", "numbers of a company"),
    ("LacunaEvento", "numbers of a company"),
    (
        "NumeracaoNfce",
        "csc_id is the name that the authority gave",
    ),
    (
        "nfe_entrada_consultar_200",
        "what a company was sent since the last question",
    ),
    (
        "reforma_eventos_pre_validar_200",
        "an event that is not there yet; it names its note",
    ),
];

/// The components that answers are made of, and what they refer to.
fn answered(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = Vec::new();
    let items = document["paths"].as_object().expect("paths").values();
    for one in items.flat_map(|item| item.as_object().expect("methods").values()) {
        let answers = one["responses"].as_object().expect("answers");
        let successes = answers.iter().filter(|(status, _)| status.starts_with('2'));
        waiting.extend(successes.map(|(_, answer)| &answer["content"]));
    }
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(members) => {
                let referred = members.get("$ref").and_then(Value::as_str);
                let name = referred.and_then(|to| to.strip_prefix("#/components/schemas/"));
                if let Some(name) = name
                    && found.insert(name.to_owned())
                {
                    waiting.push(&document["components"]["schemas"][name]);
                }
                let shown = |name: &str| matches!(name, "example" | "examples");
                let inside = members.iter().filter(|(name, _)| !shown(name.as_str()));
                waiting.extend(inside.map(|(_, member)| member));
            }
            Value::Array(values) => waiting.extend(values),
            _ => {}
        }
    }
    found
}

/// What a caller keeps of an answer is `id`, whatever the thing is called.
#[test]
fn what_has_an_id_says_it_as_id() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let mut without = BTreeSet::new();
    let mut with = 0;
    for name in answered(&document) {
        let Some(members) = schemas[&name]["properties"].as_object() else {
            continue;
        };
        // The id of the call is in every answer.
        let names = |member: &&String| member.ends_with("_id") && *member != "request_id";
        match members.contains_key("id") {
            true => with += 1,
            false if members.keys().any(|member| names(&member)) => {
                without.insert(name);
            }
            false => {}
        }
    }
    assert!(with > 40, "only {with} have an id");
    let known: BTreeSet<String> = PARENTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        without, known,
        "give what is named by an id its `id`, or add it with the reason"
    );
}
