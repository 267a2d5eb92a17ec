//! Whether bodies look as the document says: the types of answers against what
//! the hub really answers, those of requests against what it accepts.
//!
//! With `BLESS=1` the answer is recorded in `host/api/examples` where nothing is
//! shown there, or something that is not of its type.

use crate::adapters::workspace;
use base::operations::Operation;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// Longest text of an example; what is longer is base64 or a secret.
const TEXT: usize = 160;
/// How a problem ends that is about a word of a list.
const NOT_LISTED: &str = ", not of the list";
/// Items of a list of an example.
const ITEMS: usize = 2;

/// The built operation of a call.
pub fn operation(method: &str, path: &str) -> Option<&'static Operation> {
    static MISSING: OnceLock<Vec<&str>> = OnceLock::new();
    let missing = MISSING.get_or_init(|| {
        api::missing()
            .iter()
            .map(|row| row.operation.as_str())
            .collect()
    });
    base::operations::all()
        .iter()
        .filter(|row| row.method == method && !missing.contains(&row.operation.as_str()))
        .filter(|row| matches(&row.path, path))
        // What is spelled out goes before what is a parameter.
        .min_by_key(|row| row.path.matches('{').count())
}

fn matches(template: &str, path: &str) -> bool {
    let (mut parts, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (parts.next(), given.next()) {
            (None, None) => return true,
            (Some("{caminho}"), Some(_)) => return true,
            (Some(part), Some(one)) if part == one || part.starts_with('{') => {}
            _ => return false,
        }
    }
}

/// The file of an operation's examples.
pub fn file(operation: &str) -> PathBuf {
    workspace().join(format!("host/api/examples/{operation}.json"))
}

/// What is wrong with a successful JSON answer, also members the document does
/// not know. With `BLESS=1` the file shows this answer if what it shows does not
/// fit, or nothing.
///
/// # Panics
/// The file cannot be read or written.
pub fn check(operation: &str, status: u16, body: &Value) -> Vec<String> {
    static FILES: Mutex<()> = Mutex::new(());
    let _one_at_a_time = FILES
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let Some(schema) = typed(operation, status) else {
        return vec![format!("{status} has no type")];
    };
    let mut found = problems(&schema, body, "", true);
    let mut example = read(operation).expect("an example");
    let shown = example["respostas"][status.to_string()].get("exemplo");
    let fits = |shown: &Value| problems(&schema, shown, "", true).is_empty();
    if shown.is_some_and(fits) {
        return found;
    }
    if std::env::var_os("BLESS").is_some() {
        example["respostas"][status.to_string()] = json!({ "exemplo": tidy(body, "") });
        write(operation, &example);
    } else {
        found.push(format!("{status} has no example of its type"));
    }
    found
}

/// The schema of an answer's type.
pub fn typed(operation: &str, status: u16) -> Option<Value> {
    let one = api::built().iter().find(|one| one.operation == operation)?;
    one.docs.answer_schema(status)
}

fn read(operation: &str) -> Option<Value> {
    let text = std::fs::read_to_string(file(operation)).ok()?;
    Some(serde_json::from_str(&text).expect("an example"))
}

fn write(operation: &str, example: &Value) {
    let text = serde_json::to_string_pretty(example).expect("JSON");
    std::fs::write(file(operation), format!("{text}\n")).expect("written");
}

/// What the tests ask of every success: members that are always there, and the
/// types of all. Members and statuses the document does not know are for the
/// examples' own test.
///
/// # Panics
/// The answer is not as documented.
pub fn assert_documented(method: &str, path: &str, status: u16, body: &Value) {
    static SCHEMAS: OnceLock<BTreeMap<(&str, u16), Value>> = OnceLock::new();
    let Some(row) = operation(method, path) else {
        return;
    };
    let schemas = SCHEMAS.get_or_init(|| {
        let mut all = BTreeMap::new();
        for one in api::built() {
            for status in (200..300).filter(|status| one.docs.has_answer(*status)) {
                let schema = one.docs.answer_schema(status);
                all.extend(schema.map(|schema| ((one.operation, status), schema)));
            }
        }
        all
    });
    let schema = schemas.get(&(row.operation.as_str(), status));
    let problems = schema.map_or_else(Vec::new, |schema| problems(schema, body, "", false));
    assert!(
        problems.is_empty(),
        "{} {status} is not as its type says: {problems:?}\n{body}",
        row.operation
    );
}

/// What the tests ask of every JSON body that the hub accepted: the document
/// knows each of its members, with this type. Words of a list may have an alias
/// that the document does not tell.
///
/// # Panics
/// It does not.
pub fn assert_request_documented(method: &str, path: &str, body: &[u8]) {
    static SCHEMAS: OnceLock<BTreeMap<&str, Value>> = OnceLock::new();
    let Some(row) = operation(method, path) else {
        return;
    };
    let schemas = SCHEMAS.get_or_init(|| {
        let all = api::built().iter();
        all.filter_map(|one| Some((one.operation, one.docs.body_schema()?)))
            .collect()
    });
    let Some(schema) = schemas.get(row.operation.as_str()) else {
        return;
    };
    let Ok(mut body) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    without_nulls(&mut body);
    let mut problems = problems(schema, &body, "", true);
    problems.retain(|problem| !problem.ends_with(NOT_LISTED));
    assert!(
        problems.is_empty(),
        "{} took a body that is not as documented: {problems:?}",
        row.operation
    );
}

/// A null stands for an absent member.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

/// Says that an answer is no JSON: a file, or nothing.
///
/// # Panics
/// The file cannot be read or written.
pub fn bare(operation: &str, status: u16) {
    let mut example = read(operation).expect("an example");
    if example["respostas"].get(status.to_string()).is_some() {
        return;
    }
    assert!(
        std::env::var_os("BLESS").is_some(),
        "{operation}: {status} is not in its example; run with BLESS=1"
    );
    example["respostas"][status.to_string()] = json!({});
    write(operation, &example);
}

/// The types a schema allows.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What of a value the schema does not say.
pub fn problems(schema: &Value, value: &Value, at: &str, whole: bool) -> Vec<String> {
    let against = Against {
        root: schema,
        whole,
    };
    against.problems(schema, value, at)
}

/// A schema with its `$defs`.
struct Against<'s> {
    root: &'s Value,
    /// Also members that the schema does not know are problems.
    whole: bool,
}

impl Against<'_> {
    fn problems(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix('#').unwrap_or_default();
            let Some(schema) = self.root.pointer(name) else {
                return vec![format!("{at}: nothing is at {name}")];
            };
            return self.problems(schema, value, at);
        }
        let mut found = Vec::new();
        let any = schema.get("anyOf").or(schema.get("oneOf"));
        if let Some(any) = any.and_then(Value::as_array) {
            let each = any.iter().map(|one| self.problems(one, value, at));
            found.extend(each.min_by_key(Vec::len).unwrap_or_default());
        }
        for one in schema["allOf"].as_array().into_iter().flatten() {
            found.extend(self.problems(one, value, at));
        }
        found.extend(self.of_itself(schema, value, at));
        found
    }

    /// What the schema says beside the schemas it is put together from.
    fn of_itself(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        if let Some(only) = schema.get("const").filter(|only| *only != value) {
            return vec![format!("{at} is {value}, not {only}")];
        }
        if let Some(listed) = schema["enum"].as_array()
            && !listed.contains(value)
        {
            return vec![format!("{at} is {value}{NOT_LISTED}")];
        }
        let allowed = types(schema);
        let found = kind(value);
        let fits = allowed.is_empty()
            || allowed.contains(&found)
            || (found == "integer" && allowed.contains(&"number"));
        if !fits {
            return vec![format!("{at} is {found}, not {}", allowed.join(" or "))];
        }
        match value {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .flat_map(|(index, item)| {
                    self.problems(&schema["items"], item, &format!("{at}/{index}"))
                })
                .collect(),
            Value::Object(members) => self.of_members(schema, members, at),
            _ => Vec::new(),
        }
    }

    fn of_members(&self, schema: &Value, members: &Map<String, Value>, at: &str) -> Vec<String> {
        let mut all = Vec::new();
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            if !members.contains_key(name) {
                all.push(format!("{at}/{name} is missing"));
            }
        }
        for (name, member) in members {
            let place = format!("{at}/{name}");
            let known = schema["properties"]
                .get(name)
                .or(schema.get("additionalProperties"))
                .filter(|known| **known != Value::Bool(false));
            match known {
                Some(known) => all.extend(self.problems(known, member, &place)),
                None if self.whole && schema.get("properties").is_some() => {
                    all.push(format!("{place} is not documented"))
                }
                None => {}
            }
        }
        all
    }
}

/// Names that are data, as `SP` or `110110`, and no members.
fn is_table(members: &Map<String, Value>) -> bool {
    let member = |name: &String| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    !members.is_empty() && members.keys().all(|name| !member(name))
}

/// An answer as an example: short, and without what is secret.
fn tidy(value: &Value, name: &str) -> Value {
    match value {
        Value::String(text) => tidy_text(text, name).into(),
        Value::Array(items) => items
            .iter()
            .take(ITEMS)
            .map(|item| tidy(item, name))
            .collect(),
        // The document would show itself.
        Value::Object(_) if name == "paths" || name == "components" => json!({}),
        Value::Object(members) => {
            let kept = if is_table(members) { ITEMS } else { usize::MAX };
            let members: Map<String, Value> = members
                .iter()
                .take(kept)
                .map(|(name, member)| (name.clone(), tidy(member, name)))
                .collect();
            members.into()
        }
        other => other.clone(),
    }
}

fn tidy_text(text: &str, name: &str) -> String {
    let secret = |prefix: &str| {
        format!(
            "{prefix}EXEMPLO{}",
            "0".repeat(text.len().saturating_sub(prefix.len() + 7))
        )
    };
    for prefix in ["svc_test_", "svc_live_", "whsec_"] {
        if text.starts_with(prefix) && text.len() > prefix.len() + 7 {
            return secret(prefix);
        }
    }
    if name == "segredo" || name == "assinatura" {
        return secret("");
    }
    if name == "request_id" {
        return "req_01KAEXEMPL0000000000000000".to_owned();
    }
    if text.len() <= TEXT {
        return text.to_owned();
    }
    let base64 = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    let end = (0..=if base64 { 64 } else { TEXT })
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    if base64 {
        text[..end].to_owned()
    } else {
        format!("{}…", &text[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::problems;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_told() {
        let schema = json!({
            "type": "object",
            "required": ["a", "b", "c", "d"],
            "properties": {
                "a": { "type": "number" },
                "b": { "anyOf": [{ "$ref": "#/$defs/Word" }, { "type": "null" }] },
                "c": { "type": "array", "items": { "type": "object", "required": ["z"], "properties": { "z": {} } } },
                "d": { "type": "object", "additionalProperties": { "type": "integer" } },
            },
            "$defs": { "Word": { "type": "string", "enum": ["x", "y"] } },
        });
        for right in [
            json!({ "a": 1, "b": null, "c": [], "d": { "SP": 1 } }),
            json!({ "a": 1.5, "b": "x", "c": [{ "z": true }], "d": {} }),
        ] {
            assert_eq!(problems(&schema, &right, "", true), Vec::<String>::new());
        }
        let wrong = json!({ "a": "1", "b": "z", "c": [{}], "d": { "SP": "x" }, "g": 1 });
        let told = problems(&schema, &wrong, "", true);
        for problem in [
            "/a is string, not number",
            "/b is \"z\", not of the list",
            "/c/0/z is missing",
            "/d/SP is string, not integer",
            "/g is not documented",
        ] {
            assert!(told.iter().any(|one| one == problem), "{problem}: {told:?}");
        }
        let known = problems(&schema, &wrong, "", false);
        assert!(!known.iter().any(|one| one.contains("/g")));
    }

    #[test]
    fn what_stands_beside_alternatives_counts() {
        let schema = json!({
            "type": "object",
            "required": ["b"],
            "properties": { "a": { "type": "string" }, "b": {} },
            "anyOf": [{ "required": ["a"] }, { "required": ["c"] }],
        });
        let right = json!({ "a": "x", "b": 1 });
        assert_eq!(problems(&schema, &right, "", true), Vec::<String>::new());
        let mut told = problems(&schema, &json!({ "a": 1, "g": 1 }), "", true);
        told.sort();
        assert_eq!(
            told,
            [
                "/a is integer, not string",
                "/b is missing",
                "/g is not documented"
            ]
        );
        let none = problems(&schema, &json!({ "b": 1 }), "", true);
        assert_eq!(
            none,
            ["/a is missing"],
            "one of the alternatives is demanded"
        );
    }
}
