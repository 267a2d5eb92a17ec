//! The published schemas of the contents, and what an adapter makes of them.

use super::Mode;
use crate::{Adapter, FailureReason, Operacao, Step};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where an adapter of the workspace finds `wit/schemas`.
fn folder(manifest_dir: &str) -> PathBuf {
    Path::new(manifest_dir).join("../../wit/schemas")
}

fn schema(folder: &Path, name: &str) -> Value {
    let path = folder.join(format!("{}.json", name.replace('/', ".")));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Holds an adapter to the schemas of `wit/schemas` that begin with `prefix`:
/// every content it reads is published under its own name; contents and
/// answers of its cases fit, and each schema has a case; a content without a
/// required field is refused, and one with a field more is read all the same.
/// `manifest_dir` is `env!("CARGO_MANIFEST_DIR")`.
///
/// # Panics
/// One of these does not hold.
pub fn published(manifest_dir: &str, adapter: Adapter, prefix: &str) {
    published_families(manifest_dir, adapter, &[prefix]);
}

/// As [`published`], of an adapter whose schemas have several prefixes.
///
/// # Panics
/// As [`published`].
pub fn published_families(manifest_dir: &str, adapter: Adapter, prefixes: &[&str]) {
    let folder = folder(manifest_dir);
    for name in (adapter.describe)().schemas {
        assert_eq!(schema(&folder, &name)["$id"], json!(name));
    }
    if Mode::from_env() == Mode::Record {
        println!("skipped: the cases are being written");
        return;
    }
    let mut seen = BTreeSet::new();
    for case in super::cases(manifest_dir).unwrap_or_else(|error| panic!("{error}")) {
        let name = case.display().to_string();
        let (operation, context) =
            super::input(&case).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut wrong = Vec::new();
        let mut fits = |content: &crate::Conteudo| -> Value {
            let value = serde_json::from_str(&content.json)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            judge(
                &schema(&folder, &content.schema),
                &value,
                &content.schema,
                &mut wrong,
            );
            seen.insert(content.schema.clone());
            value
        };
        let content = fits(&operation.conteudo);
        let start = |content: &Value| {
            let mut operation: Operacao = operation.clone();
            operation.conteudo.json = content.to_string();
            (adapter.start)(operation, context.clone())
        };
        reads_what_it_needs(
            &name,
            &schema(&folder, &operation.conteudo.schema),
            &content,
            start,
        );
        let played = super::play(&case, adapter, Mode::Play)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Ok(success) = played.outcome
            && let Some(answer) = success.conteudo
        {
            fits(&answer);
        }
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    }
    let published: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| Some(file.strip_suffix(".1.json")?.to_owned()))
        .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        .map(|name| format!("{name}/1"))
        .collect();
    assert_eq!(seen, published, "a schema no case shows");
}

fn reads_what_it_needs(
    name: &str,
    schema: &Value,
    content: &Value,
    start: impl Fn(&Value) -> Step,
) {
    let request = |step: Step| match step {
        Step::Send(sent) => sent.request,
        other => panic!("{name}: {other:?}"),
    };
    let mut more = content.clone();
    more["campo_de_amanha"] = json!({"a": [1]});
    assert_eq!(request(start(&more)), request(start(content)));
    for field in schema["required"].as_array().into_iter().flatten() {
        let mut less = content.clone();
        if let (Some(members), Some(field)) = (less.as_object_mut(), field.as_str()) {
            members.remove(field);
        }
        let step = start(&less);
        let Step::Done(Err(failure)) = &step else {
            panic!("{name} without {field}: {step:?}");
        };
        assert!(matches!(failure.reason, FailureReason::InvalidInput(_)));
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
