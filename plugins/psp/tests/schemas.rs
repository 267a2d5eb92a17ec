//! The published schemas of the contents, and what the adapter makes of them.

use sdk::cassette::{self, Mode};
use sdk::{Adapter, FailureReason, Step};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../wit/schemas")
}

fn schema(name: &str) -> Value {
    let path = folder().join(format!("{}.json", name.replace('/', ".")));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a schema")
}

fn adapter() -> Adapter {
    adapter_psp::adapter()
}

/// Every content the adapter reads is published under its own name.
#[test]
fn described_contents_are_published() {
    for name in (adapter().describe)().schemas {
        assert_eq!(schema(&name)["$id"], json!(name));
    }
}

/// Contents of all cases fit their schema, and answers fit theirs. The few
/// words of JSON Schema that the files use are judged here.
#[test]
fn contents_and_answers_of_the_cases_fit() {
    if Mode::from_env() == Mode::Record {
        println!("skipped: the cases are being written");
        return;
    }
    let mut seen = BTreeSet::new();
    for case in cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases") {
        let input = std::fs::read_to_string(case.join("input.json")).expect("input");
        let input: Value = serde_json::from_str(&input).expect("json");
        let operation = &input["operation"];
        let name = operation["schema"].as_str().expect("name");
        let mut wrong = Vec::new();
        judge(&schema(name), &operation["conteudo"], name, &mut wrong);
        seen.insert(name.to_owned());
        let played = cassette::play(&case, adapter(), Mode::Play)
            .unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        if let Ok(success) = played.outcome
            && let Some(content) = success.conteudo
        {
            let answer: Value = serde_json::from_str(&content.json).expect("json");
            judge(
                &schema(&content.schema),
                &answer,
                &content.schema,
                &mut wrong,
            );
            seen.insert(content.schema);
        }
        assert!(wrong.is_empty(), "{}: {wrong:?}", case.display());
    }
    let published: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("folder")
        .filter_map(|entry| entry.expect("entry").file_name().into_string().ok())
        .filter_map(|file| Some(file.strip_suffix(".1.json")?.to_owned()))
        .filter(|name| name.starts_with("pagamento."))
        .map(|name| format!("{name}/1"))
        .collect();
    assert_eq!(seen, published, "a schema no case shows");
}

/// A content is refused when a required field is gone, and read all the same
/// when one more is there.
#[test]
fn required_fields_are_required_and_unknown_ones_ignored() {
    for case in cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases") {
        let (operation, context) =
            cassette::input(&case).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        let content: Value = serde_json::from_str(&operation.conteudo.json).expect("json");
        let required = schema(&operation.conteudo.schema);
        let start = |content: &Value| {
            let mut operation = operation.clone();
            operation.conteudo.json = content.to_string();
            (adapter().start)(operation, context.clone())
        };
        let mut more = content.clone();
        more["campo_de_amanha"] = json!({"a": [1]});
        let request = |step: Step| match step {
            Step::Send(sent) => sent.request,
            other => panic!("{}: {other:?}", case.display()),
        };
        assert_eq!(request(start(&more)), request(start(&content)));
        for field in required["required"].as_array().expect("required") {
            let mut less = content.clone();
            less.as_object_mut()
                .expect("object")
                .remove(field.as_str().expect("name"));
            let step = start(&less);
            let Step::Done(Err(failure)) = &step else {
                panic!("{} without {field}: {step:?}", case.display());
            };
            assert!(matches!(failure.reason, FailureReason::InvalidInput(_)));
        }
    }
}

/// type, enum, required, properties, items, minimum, maximum.
fn judge(schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !kinds.contains(&json!(kind)) {
        wrong.push(format!("{at} is {kind}, not {kinds:?}"));
        return;
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        wrong.push(format!("{at} is none of {words:?}"));
    }
    if let Some(number) = value.as_i64() {
        let low = schema["minimum"]
            .as_i64()
            .is_some_and(|limit| number < limit);
        let high = schema["maximum"]
            .as_i64()
            .is_some_and(|limit| number > limit);
        if low || high {
            wrong.push(format!("{at} is {number}"));
        }
    }
    if let Some(object) = value.as_object() {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap_or_default()) {
                wrong.push(format!("{at} lacks {name}"));
            }
        }
        for (name, member) in object {
            match schema["properties"].get(name) {
                Some(schema) => judge(schema, member, &format!("{at}.{name}"), wrong),
                None => wrong.push(format!("{at}.{name} is not published")),
            }
        }
    }
    for item in value.as_array().into_iter().flatten() {
        judge(&schema["items"], item, &format!("{at}[]"), wrong);
    }
}
