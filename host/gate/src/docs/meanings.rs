//! What members of requests and answers are: each gets a description in its schema.
//!
//! A member says it beside its type in the program, or its name does
//! (`meanings.txt`), or the type that it is.

use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::LazyLock;

/// `name = meaning` or `Type.name = meaning`, a line each; `Type = meaning` of words that
/// have no text beside them.
const TEXT: &str = include_str!("meanings.txt");

/// Members that lead from a schema to those in it.
const INSIDE: [&str; 2] = ["items", "additionalProperties"];

/// Alternatives and parts of a schema.
const PARTS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// The meanings by name, or type and name.
pub fn meanings() -> &'static HashMap<&'static str, &'static str> {
    static ALL: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.split_once(" = ")).collect()
    });
    &ALL
}

/// Gives every member of a schema, and of its `$defs`, a description.
#[must_use]
pub fn described(schema: Value) -> Value {
    let title = schema["title"].as_str().unwrap_or_default().to_owned();
    described_as(&title, schema)
}

/// The same of a schema of the type `of`.
#[must_use]
pub fn described_as(of: &str, mut schema: Value) -> Value {
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        for (name, definition) in definitions {
            let own = definition.as_object_mut();
            if let (Some(own), Some(meaning)) = (own, meanings().get(name.as_str())) {
                let text = || format!("{meaning}.").into();
                own.entry("description").or_insert_with(text);
            }
        }
    }
    let said = definitions(&schema);
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        for (name, definition) in definitions {
            within(definition, name, &said);
        }
    }
    within(&mut schema, of, &said);
    schema
}

/// What each type says of itself, where that says what a member of the type is: not of
/// plain numbers, which are of any kind.
fn definitions(schema: &Value) -> HashMap<String, String> {
    let all = schema["$defs"].as_object().into_iter().flatten();
    all.filter(|(_, one)| !is_number(one))
        .filter_map(|(name, one)| Some((name.clone(), one["description"].as_str()?.to_owned())))
        .collect()
}

/// Is it a number, or may it be one?
fn is_number(schema: &Value) -> bool {
    let parts = PARTS.iter().filter_map(|all| schema[*all].as_array());
    matches!(schema["type"].as_str(), Some("number" | "integer")) || parts.flatten().any(is_number)
}

/// Describes the members of a schema of the type `of`, and of the schemas in it.
fn within(schema: &mut Value, of: &str, said: &HashMap<String, String>) {
    let Some(parts) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Object(members)) = parts.get_mut("properties") {
        for (name, member) in members {
            describe(name, member, of, said);
            within(member, of, said);
        }
    }
    for name in INSIDE {
        if let Some(inside) = parts.get_mut(name) {
            within(inside, of, said);
        }
    }
    for name in PARTS {
        let all = parts.get_mut(name).and_then(Value::as_array_mut);
        for part in all.into_iter().flatten() {
            within(part, of, said);
        }
    }
}

/// Says what a member is, if it does not say so itself. Where only the official name of
/// its element is said, what it means stands before.
fn describe(name: &str, member: &mut Value, of: &str, said: &HashMap<String, String>) {
    let meaning = meanings()
        .get(format!("{of}.{name}").as_str())
        .or_else(|| meanings().get(name));
    if let Value::Bool(true) = member {
        *member = Value::Object(Map::new());
    }
    let own = member["description"].as_str().map(str::to_owned);
    let of_type = || referred(member).and_then(|name| said.get(name)).cloned();
    let text = match (own.or_else(of_type), meaning) {
        (Some(own), Some(meaning)) if is_official(&own) => joined(meaning, &own),
        (Some(own), _) => own,
        (None, Some(meaning)) => format!("{meaning}."),
        (None, None) => return,
    };
    if let Some(parts) = member.as_object_mut() {
        parts.insert("description".to_owned(), text.into());
    }
}

/// A meaning before what the type says, which may have a colon of its own.
fn joined(meaning: &str, own: &str) -> String {
    let mark = if own.contains("`: ") { ';' } else { ':' };
    format!("{meaning}{mark} {own}")
}

/// The type that a member is, or that its items are, by its name in `$defs`.
pub fn referred(member: &Value) -> Option<&str> {
    let alternatives = member["anyOf"].as_array().into_iter().flatten();
    let all = [member, &member["items"]].into_iter().chain(alternatives);
    all.filter_map(|one| one["$ref"].as_str()?.strip_prefix("#/$defs/"))
        .next()
}

/// Is a description the official name of an element, as `` `infCarga`. ``, `tpRetISSQN.`
/// or `BM.`, or does it begin with one?
fn is_official(text: &str) -> bool {
    let word = text.strip_suffix('.').unwrap_or_default();
    let letters = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let begins_small = word.starts_with(|c: char| c.is_ascii_lowercase());
    text.starts_with('`') || (letters && (begins_small || word == word.to_ascii_uppercase()))
}
