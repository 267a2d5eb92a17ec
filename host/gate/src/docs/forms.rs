//! Forms of schemas that programs which make clients stumble over, in a form that all of
//! them read.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Where the names of an enumeration's values are told to programs that would make the
/// same name of two of them.
const NAMES: &str = "x-enum-varnames";

/// The schema with every list of anything as `{}` instead of `true`, and with names for
/// words that differ only in small letters and signs.
#[must_use]
pub fn readable(mut schema: Value) -> Value {
    within(&mut schema);
    schema
}

fn within(schema: &mut Value) {
    match schema {
        Value::Object(parts) => {
            if parts.get("items") == Some(&Value::Bool(true)) {
                parts.insert("items".to_owned(), Map::new().into());
            }
            if let Some(names) = parts.get("enum").and_then(names) {
                parts.insert(NAMES.to_owned(), names);
            }
            parts.values_mut().for_each(within);
        }
        Value::Array(items) => items.iter_mut().for_each(within),
        _ => {}
    }
}

/// A name for each of some words, where a name made of each would be there twice:
/// `valor` and `-valor` are `VALOR` and `VALOR_2`.
fn names(words: &Value) -> Option<Value> {
    let words = words.as_array()?.iter().map(Value::as_str);
    let words = words.collect::<Option<Vec<_>>>()?;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let names: Vec<String> = words
        .iter()
        .map(|word| {
            let name = name(word);
            let times = seen.entry(name.clone()).or_default();
            *times += 1;
            match *times {
                1 => name,
                times => format!("{name}_{times}"),
            }
        })
        .collect();
    seen.values().any(|times| *times > 1).then(|| names.into())
}

/// Capitals and digits of a word, its parts joined by `_`.
fn name(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric());
    let parts = parts.filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(str::to_ascii_uppercase).collect();
    parts.join("_")
}
