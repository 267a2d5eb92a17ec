//! The paths of a content and what stands there, for whoever reads a content by
//! names of a file and wants to know the names before.

use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Deepest object.
const MAX_DEPTH: usize = 8;

/// A static list of all paths of a schema, sorted, with the kind of each.
///
/// # Errors
/// A schema that nests deeper than any content does.
pub fn source(name: &str, text: &str) -> Result<String, String> {
    let root: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let none = Map::new();
    let definitions = root["$defs"].as_object().unwrap_or(&none);
    let mut found = Vec::new();
    walk(&root, definitions, "", 0, &mut found)?;
    found.sort();
    let mut out = format!("static {name}: &[(&str, PathKind)] = &[\n");
    for (path, kind) in found {
        // Writing to a String does not fail.
        writeln!(out, "    (\"{path}\", PathKind::{kind}),").unwrap_or_default();
    }
    out.push_str("];\n\n");
    Ok(out)
}

fn walk(
    definition: &Value,
    definitions: &Map<String, Value>,
    path: &str,
    depth: usize,
    found: &mut Vec<(String, &'static str)>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("{path}: too deep"));
    }
    let none = Map::new();
    for (field, schema) in definition["properties"].as_object().unwrap_or(&none) {
        let path = match path {
            "" => field.clone(),
            path => format!("{path}.{field}"),
        };
        let schema = match schema["anyOf"].as_array().map(Vec::as_slice) {
            Some([one, null]) if null["type"] == "null" => one,
            _ => schema,
        };
        let name = schema["$ref"]
            .as_str()
            .and_then(|reference| reference.rsplit('/').next());
        let referred = name.and_then(|name| definitions.get(name));
        let kind = match (name, referred) {
            (Some("Valor"), _) => "Decimal",
            (_, Some(object)) if object["properties"].is_object() => {
                walk(object, definitions, &path, depth + 1, found)?;
                "Object"
            }
            (_, Some(_)) => "Word",
            _ => of_type(&schema["type"]),
        };
        found.push((path, kind));
    }
    Ok(())
}

fn of_type(given: &Value) -> &'static str {
    let name = match given {
        Value::Array(names) => names.first().and_then(Value::as_str),
        name => name.as_str(),
    };
    match name {
        Some("string") => "Text",
        Some("integer") => "Whole",
        Some("boolean") => "Flag",
        Some("array") => "List",
        _ => "Object",
    }
}
