//! Schemas of bodies, as the document wants them.

use super::merge::Moved;
use serde_json::{Map, Value};

/// Closes the schema of a body: unknown members are refused when bodies are
/// read.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object)
                && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Moves the `$defs` of a schema into the components, under names that begin with
/// the operation.
pub(super) fn hoist(
    mut schema: Value,
    operation: &str,
    (components, moved): (&mut Map<String, Value>, &mut Moved),
) -> Value {
    let prefix = operation.replace(['.', '-'], "_");
    let text = schema
        .to_string()
        .replace("#/$defs/", &format!("#/components/schemas/{prefix}_"));
    schema = serde_json::from_str(&text).unwrap_or(schema);
    close(&mut schema);
    if let Some(members) = schema.as_object_mut() {
        members.remove("$schema");
        if let Some(Value::Object(defs)) = members.remove("$defs") {
            for (name, definition) in defs {
                let key = format!("{prefix}_{name}");
                components.insert(key.clone(), definition);
                moved.insert(key, name);
            }
        }
    }
    schema
}

/// Puts the schema of an answer into the components under `name`, and the
/// types it uses under their own names, which all answers share.
pub(super) fn share(schema: Value, name: &str, components: &mut Map<String, Value>) {
    let text = schema
        .to_string()
        .replace("#/$defs/", "#/components/schemas/");
    let Ok(Value::Object(mut members)) = serde_json::from_str(&text) else {
        return;
    };
    members.remove("$schema");
    if let Some(Value::Object(defs)) = members.remove("$defs") {
        for (name, definition) in defs {
            components.entry(name).or_insert(definition);
        }
    }
    members.remove("title");
    components.insert(name.to_owned(), members.into());
}
