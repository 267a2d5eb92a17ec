//! The published schemas of the contents, and what the adapter makes of them.

use sdk::cassette;
use sdk::{FailureReason, Step};
use serde_json::{Value, json};

#[test]
fn contents_are_published() {
    cassette::published(
        env!("CARGO_MANIFEST_DIR"),
        adapter_chatapp::adapter(),
        "mensagem.",
    );
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
