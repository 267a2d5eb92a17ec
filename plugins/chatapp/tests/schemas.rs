//! The published schemas of the contents, and what the adapter makes of them.

use sdk::cassette::{self, Mode};
use sdk::{FailureReason, Step};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn schema(name: &str) -> Value {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../wit/schemas");
    let path = folder.join(format!("{}.json", name.replace('/', ".")));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a schema")
}

/// Members of an object, and those its schema publishes.
fn members(value: &Value) -> BTreeSet<&str> {
    let members = value.as_object().expect("object");
    members.keys().map(String::as_str).collect()
}

#[test]
fn contents_and_answers_are_published() {
    for name in (adapter_chatapp::adapter().describe)().schemas {
        assert_eq!(schema(&name)["$id"], json!(name));
    }
    for case in cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases") {
        let (operation, _) =
            cassette::input(&case).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        let content: Value = serde_json::from_str(&operation.conteudo.json).expect("json");
        let published = schema(&operation.conteudo.schema);
        assert_eq!(members(&content), members(&published["properties"]));
        if Mode::from_env() == Mode::Record {
            continue;
        }
        let played = cassette::play(&case, adapter_chatapp::adapter(), Mode::Play)
            .unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        if let Ok(success) = played.outcome {
            let content = success.conteudo.expect("a content");
            let answer: Value = serde_json::from_str(&content.json).expect("json");
            let published = schema(&content.schema);
            assert_eq!(members(&answer), members(&published["properties"]));
        }
    }
}

#[test]
fn what_is_not_whole_is_refused_before_it_is_sent() {
    let case = cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases");
    let (operation, context) = cassette::input(&case[0]).expect("input");
    let content: Value = serde_json::from_str(&operation.conteudo.json).expect("json");
    for (field, value) in [
        ("mensagem_id", json!("a b")),
        ("mensagem_id", json!("")),
        ("para", json!("11999998888")),
        ("para", json!("+55 11 99999-8888")),
        ("texto", json!("")),
        ("texto", json!("x".repeat(1_001))),
        ("texto", Value::Null),
    ] {
        let mut changed = content.clone();
        changed[field] = value;
        let mut operation = operation.clone();
        operation.conteudo.json = changed.to_string();
        let step = (adapter_chatapp::adapter().start)(operation, context.clone());
        let Step::Done(Err(failure)) = &step else {
            panic!("{changed}: {step:?}");
        };
        assert!(matches!(failure.reason, FailureReason::InvalidInput(_)));
    }
}
