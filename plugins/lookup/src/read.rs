//! From a source's answer to the content the hub reads.

use crate::Asked;
use crate::convert::converted;
use crate::map::{Field, Query};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most elements of a list, and most characters of a text.
const ELEMENTS: usize = 5_000;
const CHARS: usize = 2_000;

/// The content of an answer.
///
/// # Errors
/// What is wrong with it, for the log.
pub(crate) fn content(
    query: &Query,
    answer: &Value,
    asked: &Asked,
) -> Result<Map<String, Value>, String> {
    let content = if query.fields.is_empty() {
        answer.as_object().cloned().ok_or("não é um objeto")?
    } else {
        object(&query.fields, answer)
    };
    for name in &query.needs {
        let filled = match content.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Array(list)) => !list.is_empty(),
            Some(_) => true,
        };
        if !filled {
            return Err(format!("sem {name}"));
        }
    }
    for name in &query.echo {
        let plain = |value: Option<&Value>| {
            let text = value.and_then(Value::as_str).unwrap_or_default();
            let kept = text.chars().filter(char::is_ascii_alphanumeric);
            kept.collect::<String>().to_uppercase()
        };
        if plain(content.get(name)) != plain(asked.get(name)) {
            return Err(format!("{name} é de outra consulta"));
        }
    }
    Ok(content)
}

fn object(fields: &BTreeMap<String, Field>, answer: &Value) -> Map<String, Value> {
    let members = fields
        .iter()
        .map(|(name, field)| (name.clone(), value(field, answer)));
    members.collect()
}

/// The value of a field; null where the answer has none.
fn value(field: &Field, answer: &Value) -> Value {
    if let Some(value) = &field.value {
        return value.clone();
    }
    if let Some(list) = &field.list {
        let elements = answer.pointer(list).and_then(Value::as_array);
        let elements = elements.into_iter().flatten().take(ELEMENTS);
        return elements
            .map(|element| Value::Object(object(&field.fields, element)))
            .collect();
    }
    if !field.fields.is_empty() {
        return Value::Object(object(&field.fields, answer));
    }
    if !field.join.is_empty() {
        let places = field.join.iter();
        let texts: Vec<String> = places.filter_map(|at| text(answer.pointer(at))).collect();
        return converted(field, &texts.join(" "));
    }
    let mut places = field.from.iter();
    let found = places.find_map(|at| text(answer.pointer(at)));
    found.map_or(Value::Null, |text| converted(field, &text))
}

/// The text of a plain value; none when it is empty.
fn text(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => text.trim().chars().take(CHARS).collect(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    Some(text).filter(|text: &String| !text.is_empty())
}
