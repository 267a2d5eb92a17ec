//! The published schemas of the contents, and what the adapter makes of them.

use sdk::cassette;
use sdk::{FailureReason, Step};
use serde_json::{Value, json};

#[test]
fn contents_are_published() {
    cassette::published_families(
        env!("CARGO_MANIFEST_DIR"),
        adapter_chatapp::adapter(),
        &["mensagem.", "numero."],
    );
}

#[test]
fn what_is_not_whole_is_refused_before_it_is_sent() {
    refused(
        "mensagem.enviar",
        &[
            ("mensagem_id", json!("a b")),
            ("mensagem_id", json!("")),
            ("para", json!("11999998888")),
            ("para", json!("+55 11 99999-8888")),
            ("texto", json!("")),
            ("texto", json!("x".repeat(1_001))),
            ("texto", Value::Null),
        ],
    );
    refused(
        "numero.verificar",
        &[
            ("numeros", json!([])),
            ("numeros", json!(["11999998888"])),
            ("numeros", json!(vec!["+5511999998888"; 101])),
        ],
    );
}

/// A content of this operation with one member changed is not sent.
fn refused(name: &str, changes: &[(&str, Value)]) {
    let cases = cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases");
    let inputs = cases
        .iter()
        .map(|case| cassette::input(case).expect("input"));
    let (operation, context) = inputs
        .into_iter()
        .find(|(operation, _)| operation.nome == name)
        .expect("a case");
    let content: Value = serde_json::from_str(&operation.conteudo.json).expect("json");
    for (field, value) in changes {
        let mut changed = content.clone();
        changed[*field] = value.clone();
        let mut operation = operation.clone();
        operation.conteudo.json = changed.to_string();
        let step = (adapter_chatapp::adapter().start)(operation, context.clone());
        let Step::Done(Err(failure)) = &step else {
            panic!("{changed}: {step:?}");
        };
        assert!(matches!(failure.reason, FailureReason::InvalidInput(_)));
    }
}
