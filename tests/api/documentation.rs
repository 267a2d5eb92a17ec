//! What programmers read: the document, its pages, the guide for language
//! models. All of it says what the server does.

use crate::common::ask;
use base::errors::Code;
use events::attempt::signature::HOW_TO_CHECK;
use events::webhooks::catalogue::TIPOS;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use tests::{Answer, TestApp, both, shapes};

fn document() -> Value {
    api::openapi::document("https://hub.example")
}

/// Method, path, operation.
fn operations(document: &Value) -> Vec<(&String, &String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let all = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("methods");
        methods.iter().map(move |(method, one)| (method, path, one))
    });
    all.collect()
}

fn refs(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "$ref" => {
                        found.insert(text.clone());
                    }
                    other => refs(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| refs(item, found)),
        _ => {}
    }
}

#[test]
fn what_the_document_refers_to_is_there() {
    let document = document();
    let mut found = BTreeSet::new();
    refs(&document, &mut found);
    for one in &found {
        let pointer = one.strip_prefix('#').expect("inside of the document");
        assert!(document.pointer(pointer).is_some(), "{one}");
    }
}

/// Summaries and descriptions, without those of examples.
fn told<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("description" | "summary", Value::String(text)) => {
                        found.insert(text);
                    }
                    ("example" | "examples", _) => {}
                    (_, other) => told(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| told(item, found)),
        _ => {}
    }
}

/// Schemas that no reader of JSON Schema takes, by their place.
fn malformed(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let is_array = members.get("type").is_some_and(|kind| {
                kind == "array"
                    || kind
                        .as_array()
                        .is_some_and(|kinds| kinds.contains(&json!("array")))
            });
            let in_properties = place.ends_with("/properties");
            if !in_properties && is_array && !members.contains_key("items") {
                found.push(format!("{place}: a list of what?"));
            }
            if !in_properties && members.get("required").is_some_and(Value::is_null) {
                found.push(format!("{place}: required is null"));
            }
            for (name, member) in members {
                if !matches!(
                    name.as_str(),
                    "example" | "examples" | "default" | "enum" | "const"
                ) {
                    malformed(member, &format!("{place}/{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                malformed(item, &format!("{place}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn schemas_are_ones_others_can_read() {
    let mut found = Vec::new();
    malformed(&document(), "", &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

/// Members of schemas without a description, by their place; how many have one.
fn undescribed(schema: &Value, place: &str, found: &mut Vec<String>) -> usize {
    let mut described = 0;
    if let Some(members) = schema["properties"].as_object() {
        for (name, member) in members {
            let place = format!("{place}.{name}");
            let says = member["description"].as_str();
            match says.is_some_and(|text| !text.trim().is_empty()) {
                true => described += 1,
                false => found.push(place.clone()),
            }
            described += undescribed(member, &place, found);
        }
    }
    for inside in ["items", "additionalProperties"] {
        described += schema
            .get(inside)
            .map_or(0, |inside| undescribed(inside, place, found));
    }
    for parts in ["anyOf", "oneOf", "allOf"] {
        for part in schema[parts].as_array().into_iter().flatten() {
            described += undescribed(part, place, found);
        }
    }
    described
}

/// What a member is stands beside it, whatever made the schema.
#[test]
fn every_member_is_described() {
    let document = document();
    let mut found = Vec::new();
    let mut described = 0;
    let schemas = document["components"]["schemas"].as_object();
    for (name, schema) in schemas.expect("schemas") {
        described += undescribed(schema, name, &mut found);
    }
    for (_, _, one) in operations(&document) {
        let name = one["operationId"].as_str().expect("a name");
        let content = one["requestBody"]["content"].as_object();
        for media in content.into_iter().flatten().map(|(_, media)| media) {
            described += undescribed(&media["schema"], name, &mut found);
        }
    }
    assert!(
        found.is_empty(),
        "{described} described, not these: {found:#?}"
    );
    assert!(described > 3_000, "only {described} members");
    // The official name of the element, from the table that writes it.
    let item = &document["components"]["schemas"]["NfeItem"]["properties"];
    assert_eq!(item["quantidade"]["description"], "Quantidade (`qCom`).");
}

/// Components are shared by name: none says what another one of its kind says.
#[test]
fn equal_components_are_one() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object();
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    let mut twice = Vec::new();
    for (name, schema) in schemas.expect("schemas") {
        if let Some(other) = known.insert(schema.to_string(), name) {
            twice.push(format!("{other} = {name}"));
        }
    }
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn examples_of_parameters_have_their_type() {
    let document = document();
    let mut shown = 0;
    for (method, path, one) in operations(&document) {
        for param in one["parameters"].as_array().expect("a list") {
            if let Some(example) = param.get("example") {
                shown += 1;
                let problems = shapes::problems(&param["schema"], example, "", true);
                assert!(problems.is_empty(), "{method} {path}: {problems:?}");
            }
        }
    }
    assert!(shown > 100, "only {shown} examples");
}

/// What programs call most: the document says when, what follows and what is refused.
const OFTEN: [&str; 34] = [
    "documentos.danfe",
    "documentos.exportar",
    "documentos.get",
    "documentos.list",
    "documentos.xml",
    "emitters.certificado.put",
    "emitters.create",
    "emitters.delete",
    "emitters.fiscal-profile",
    "emitters.update",
    "fiscal.calcular-impostos",
    "fiscal.xml.validar",
    "nfce.cancelar",
    "nfce.create",
    "nfe.cancelar",
    "nfe.cce",
    "nfe.create",
    "nfe.criar",
    "nfe.emitir",
    "nfe.inutilizar",
    "nfe.list",
    "nfe.parse",
    "nfe.status",
    "nfse.cancelar",
    "nfse.create",
    "nfse.criar",
    "nfse.documento",
    "nfse.emitir",
    "nfse.list",
    "nfse.status",
    "nfse.substituir",
    "webhooks.create",
    "webhooks.entregas.reenviar",
    "webhooks.testar",
];

#[test]
fn what_is_used_most_is_explained_beyond_its_summary() {
    let document = document();
    let mut explained = BTreeSet::new();
    for (_, _, one) in operations(&document) {
        let name = one["operationId"].as_str().expect("a name");
        let built = api::built().iter().find(|built| built.operation == name);
        let text = built.map_or("", |built| built.docs.explanation);
        if text.is_empty() {
            continue;
        }
        let summary = one["summary"].as_str().expect("a summary");
        let shown = one["description"].as_str().expect("a description");
        assert!(
            shown.starts_with(&format!("{summary} {text} ")),
            "{name}: {shown}"
        );
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split(|c: char| !c.is_alphanumeric());
            words.map(str::to_lowercase).collect()
        };
        let more = words(text).difference(&words(summary)).count();
        assert!(
            more >= 15 && text.ends_with('.'),
            "{name} says little: {text}"
        );
        // Operations that it leads to are there, by method and address.
        for (method, rest) in text.split(' ').zip(text.split(' ').skip(1)) {
            let Some(path) = rest.strip_prefix("/api/v1/") else {
                continue;
            };
            let path = path.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '}');
            let item = &document["paths"][format!("/api/v1/{path}")];
            assert!(
                item.is_object()
                    && (method != method.to_uppercase() || item[method.to_lowercase()].is_object()),
                "{name}: {method} /api/v1/{path} is not there"
            );
        }
        explained.insert(name);
    }
    let missing: Vec<_> = OFTEN
        .iter()
        .filter(|name| !explained.contains(*name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// An answer with a body is a file, or has a type.
#[test]
fn every_answer_has_a_type() {
    let document = document();
    for (method, path, one) in operations(&document) {
        let answers = one["responses"].as_object().expect("answers");
        let successes = answers.iter().filter(|(status, _)| status.starts_with('2'));
        for (status, answer) in successes.filter(|(status, _)| *status != "204") {
            assert!(answer["content"].is_object(), "{method} {path} {status}");
        }
    }
}

/// Types that answers share are components under their own name: no two
/// types may have the same one, nor that of another component.
#[test]
fn types_of_answers_have_names_of_their_own() {
    let document = document();
    let components = document["components"]["schemas"].as_object();
    let components = components.expect("schemas");
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    for one in api::built() {
        for status in (200..300).filter(|status| one.docs.has_answer(*status)) {
            let schema = one.docs.answer_schema(status).unwrap_or_default();
            for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
                let known = found
                    .entry(name.clone())
                    .or_insert_with(|| definition.clone());
                assert_eq!(
                    known, definition,
                    "{}: {name} is another type elsewhere",
                    one.operation
                );
                let text = definition.to_string();
                let text = text.replace("#/$defs/", "#/components/schemas/");
                assert_eq!(
                    components[name].to_string(),
                    text,
                    "{}: {name} is another component",
                    one.operation
                );
            }
        }
    }
}

#[test]
fn customers_read_portuguese() {
    let document = document();
    let mut found = BTreeSet::new();
    told(&document, &mut found);
    assert!(found.len() > 500, "{}", found.len());
    // Words of English sentences that no Portuguese one and no name has.
    let english = [
        "the",
        "of",
        "and",
        "that",
        "which",
        "with",
        "absent",
        "only",
        "from",
        "at",
        "are",
        "by",
        "an",
        "digits",
        "characters",
        "number",
        "amount",
        "rate",
    ];
    for text in found {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        let word = words.find(|word| english.contains(&word.to_lowercase().as_str()));
        assert!(word.is_none(), "{word:?}: {text}");
    }
}

#[test]
fn every_operation_shows_what_it_takes_and_answers() {
    let document = document();
    let all = operations(&document);
    assert_eq!(all.len(), api::built().len());
    for (method, path, one) in all {
        let name = one["operationId"].as_str().expect("a name");
        let body = &one["requestBody"]["content"]["application/json"];
        assert!(
            body.is_null() || body["example"].is_object(),
            "{method} {path}: {body}"
        );
        let form = &one["requestBody"]["content"]["multipart/form-data"];
        assert!(
            form.is_null() || form["example"].is_object(),
            "{method} {path}: {form}"
        );
        for param in one["parameters"].as_array().expect("a list") {
            assert!(
                param["description"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{name}: {param}"
            );
            assert!(
                param["in"] != "path" || param["example"].is_string(),
                "{name}: {param}"
            );
        }
        let mut shown = 0;
        for (status, answer) in one["responses"].as_object().expect("answers") {
            let answer = match answer["$ref"].as_str() {
                Some(pointer) => document.pointer(&pointer[1..]).expect("an answer"),
                None => answer,
            };
            assert!(
                answer["headers"]["X-Request-Id"].is_object(),
                "{name} {status}"
            );
            if !status.starts_with('2') {
                continue;
            }
            let content = &answer["content"];
            if content.is_null() || content["application/json"].is_null() {
                shown += 1;
                continue;
            }
            let json = &content["application/json"];
            let pointer = json["schema"]["$ref"].as_str();
            assert!(pointer.is_some(), "{name} {status} has no schema: {json}");
            shown += usize::from(json["example"].is_object());
        }
        let built = api::built().iter().find(|built| built.operation == name);
        let always_refuses = built.is_some_and(|built| built.docs.always_refuses());
        assert!(always_refuses || shown > 0, "{name} shows no answer");
    }
}

#[test]
fn every_code_is_shown_by_the_answers_that_have_it() {
    let document = document();
    let mut reached = BTreeSet::new();
    for (_, _, one) in operations(&document) {
        for answer in one["responses"].as_object().expect("answers").values() {
            let Some(pointer) = answer["$ref"].as_str() else {
                continue;
            };
            let answer = document.pointer(&pointer[1..]).expect("an answer");
            let examples = answer["content"]["application/json"]["examples"]
                .as_object()
                .expect("examples");
            reached.extend(examples.keys().cloned());
        }
    }
    for code in Code::ALL {
        let entry = code.entry();
        let shown = &document["components"]["examples"][entry.codigo]["value"];
        assert_eq!(
            (&shown["mensagem"], &shown["dica"]),
            (&json!(entry.message), &json!(entry.hint))
        );
        // Operations that are not built are not in the document.
        assert!(
            reached.contains(entry.codigo) || *code == Code::EmConstrucao,
            "{} is nowhere",
            entry.codigo
        );
    }
}

#[test]
fn every_kind_of_event_is_described_as_it_is_sent() {
    let document = document();
    let webhooks = document["webhooks"].as_object().expect("webhooks");
    let kinds: BTreeSet<&str> = TIPOS.iter().map(|event_kind| event_kind.name).collect();
    assert_eq!(
        webhooks.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        kinds
    );
    for (kind, item) in webhooks {
        let one = &item["post"];
        assert_eq!(one["security"], json!([]), "{kind}: our keys stay here");
        assert!(one["responses"]["2XX"]["description"].is_string(), "{kind}");
        let media = &one["requestBody"]["content"]["application/json"];
        let pointer = media["schema"]["$ref"].as_str().expect("a schema");
        let schema = document.pointer(&pointer[1..]).expect("a schema");
        let example = &media["example"];
        let problems = shapes::problems(schema, example, "", true);
        assert!(problems.is_empty(), "{kind}: {problems:?}");
        assert_eq!(example["tipo"], kind.as_str());
        let alike = schema["properties"]["tipo"]["enum"].as_array();
        assert!(
            alike.expect("kinds").contains(&json!(kind)),
            "{kind}: {schema}"
        );
        let data = &example["dados"];
        let about_a_note = data["nota_id"].is_string();
        let own = ["nota_id", "recebida_id", "evento_id"].iter();
        let own = own.filter_map(|name| data.get(*name)).next();
        assert_eq!(data.get("id"), own, "{kind}: {example}");
        let exists = matches!(data["status"].as_str(), Some("autorizada" | "cancelada"));
        assert_eq!(
            (
                data["links"]["documento"].is_string(),
                data["links"]["xml"].is_string()
            ),
            (about_a_note, about_a_note && exists),
            "{kind}: {example}"
        );
        let named: BTreeSet<&str> = one["parameters"]
            .as_array()
            .expect("headers")
            .iter()
            .filter_map(|param| document.pointer(&param["$ref"].as_str()?[1..])?["name"].as_str())
            .collect();
        for header in [
            "X-Webhook-Id",
            "X-Webhook-Signature-256",
            "webhook-signature",
        ] {
            assert!(named.contains(header), "{kind}: {header}");
        }
    }
    let about = document["info"]["description"].as_str().expect("text");
    assert!(about.contains(HOW_TO_CHECK), "{about}");
}

/// Tags are parts of addresses, so they have neither accents nor spaces.
#[test]
fn tags_are_portuguese_and_listed() {
    let document = document();
    let listed: BTreeSet<&str> = document["tags"]
        .as_array()
        .expect("tags")
        .iter()
        .filter_map(|tag| tag["name"].as_str())
        .collect();
    assert!(!listed.contains("outras"), "a family without a name");
    for (_, _, one) in operations(&document) {
        let tag = one["tags"][0].as_str().expect("a tag");
        assert!(listed.contains(tag), "{tag}");
        assert!(
            tag.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
            "{tag}"
        );
    }
    for english in ["issuance", "life_cycle", "documents", "keys", "system"] {
        assert!(!listed.contains(english), "{english}");
    }
}

/// The validator is named by `HUB_TEST_OPENAPI_VALIDATOR`, as the program of
/// that name of the Python package `openapi-spec-validator`.
#[test]
fn the_document_is_openapi() {
    let Some(validator) = std::env::var_os("HUB_TEST_OPENAPI_VALIDATOR") else {
        judges::skipped("HUB_TEST_OPENAPI_VALIDATOR names no validator");
        return;
    };
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("openapi.json");
    std::fs::write(&file, document().to_string()).expect("written");
    let ran = Command::new(validator)
        .arg(&file)
        .output()
        .expect("the validator");
    assert!(
        ran.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
}

async fn open(app: &TestApp, path: &str) -> Answer {
    app.send(app.http().get(format!("{}{path}", app.base_url)))
        .await
}

both! {
    async fn the_pages_say_what_the_server_does(app: TestApp) {
        let page = open(&app, "/docs").await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!page.text.contains("onclick") && !page.text.contains("<script>"), "a script in the page");
        for row in base::operations::all() {
            let built = api::built().iter().any(|one| one.operation == row.operation);
            assert_eq!(page.text.contains(&format!(">{} {}<", row.method, row.path)), built, "{}", row.operation);
        }
        for (path, media, word) in [
            ("/docs/swagger-ui.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"), ("/docs/swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"),
            ("/docs/inicio.js", "text/javascript; charset=utf-8", "/api/v1/openapi.json"), ("/docs/swagger-ui.licenca.txt", "text/plain; charset=utf-8", "Apache License"),
            ("/docs/swagger-ui.aviso.txt", "text/plain; charset=utf-8", "swagger-ui"),
        ] {
            let file = open(&app, path).await;
            assert_eq!((file.status, file.header("content-type")), (200, media), "{path}");
            assert!(file.text.contains(word), "{path}");
        }

        let errors = open(&app, "/docs/erros").await;
        assert!(!errors.text.contains("<script>"), "a script in the page");
        for code in Code::ALL {
            let entry = code.entry();
            let anchor = format!("id=\"{}\"", entry.codigo);
            assert_eq!(errors.text.matches(&anchor).count(), 1, "{anchor}");
            assert!(errors.text.contains(entry.message), "{}", entry.codigo);
        }
        // What a refusal says leads there.
        let refused = ask(&app, Method::GET, "/api/v1/documentos/nada", None).await;
        let (address, anchor) = refused.text_at("/documentacao").split_once('#').expect("an anchor");
        assert_eq!(anchor, "nao_encontrado");
        assert!(open(&app, address).await.text.contains(&format!("id=\"{anchor}\"")));

        let guide = open(&app, "/llms.txt").await;
        assert_eq!((guide.status, guide.header("content-type")), (200, "text/plain; charset=utf-8"));
        for one in api::built() {
            let row = base::operations::get(one.operation).expect("a row");
            let line = format!("- [{} {}](/docs#/{}/{}): ", row.method, row.path, api::openapi::tag(&row.family), row.operation);
            assert_eq!(guide.text.matches(&line).count(), 1, "{line}");
        }
        assert!(guide.text.contains(HOW_TO_CHECK), "how a delivery is checked");
        for kind in TIPOS {
            assert!(guide.text.contains(&format!("`{}`", kind.name)), "{}", kind.name);
        }
        for code in Code::ALL {
            assert!(guide.text.contains(&format!("/docs/erros#{})", code.as_str())), "{}", code.as_str());
        }
    }
}
