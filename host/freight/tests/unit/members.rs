//! What a request's types and a document's table say, to be compared.

use fiscal::fields::{Field, Kind};
use serde_json::Value;
use std::collections::BTreeSet;

/// Paths of all members that lines of the table lead to.
pub fn of_the_table(table: &'static [Field]) -> BTreeSet<String> {
    fn visit(fields: &'static [Field], base: &str, found: &mut BTreeSet<String>) {
        for field in fields.iter().filter(|field| !field.note_only) {
            let path = format!("{base}{}", field.name);
            match field.kind {
                Kind::Group(inside) | Kind::List(inside) => {
                    visit(inside, &format!("{path}."), found);
                }
                Kind::Dissolve(inside) => visit(inside, base, found),
                Kind::Variant(inside) => {
                    found.insert(format!("{base}grupo"));
                    visit(inside, base, found);
                }
                _ => drop(found.insert(path)),
            }
        }
    }
    let mut found = BTreeSet::new();
    visit(table, "", &mut found);
    found
}

/// Paths of all values that the schema of a request has.
pub fn of_the_schema(root: &Value) -> BTreeSet<String> {
    fn visit(root: &Value, schema: &Value, path: &str, found: &mut BTreeSet<String>) {
        let named = |schema: &Value| {
            let name = schema["$ref"]
                .as_str()?
                .strip_prefix("#/$defs/")?
                .to_owned();
            Some(root["$defs"][name].clone())
        };
        let resolved = named(schema).unwrap_or_else(|| schema.clone());
        let options = resolved["anyOf"].as_array().cloned().unwrap_or_default();
        let group = std::iter::once(&resolved)
            .chain(&options)
            .map(|one| named(one).unwrap_or_else(|| one.clone()))
            .find(|one| one["properties"].is_object());
        match group {
            Some(group) => {
                for (name, member) in group["properties"].as_object().into_iter().flatten() {
                    let path = match path {
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    visit(root, member, &path, found);
                }
            }
            None if resolved["items"].is_object() => visit(root, &resolved["items"], path, found),
            None => drop(found.insert(path.to_owned())),
        }
    }
    let mut found = BTreeSet::new();
    visit(root, root, "", &mut found);
    found
}

/// Every value of one is in the other at the same path; numbers by their value.
pub fn assert_inside(path: &str, part: &Value, whole: &Value) {
    let number = |value: &Value| {
        let text = value.to_string();
        text.trim_matches('"').parse::<rust_decimal::Decimal>().ok()
    };
    match part {
        Value::Object(members) => {
            for (name, value) in members {
                assert_inside(&format!("{path}.{name}"), value, &whole[name]);
            }
        }
        Value::Array(list) => {
            for (position, value) in list.iter().enumerate() {
                assert_inside(&format!("{path}[{position}]"), value, &whole[position]);
            }
        }
        _ if number(part).is_some() => assert_eq!(number(part), number(whole), "{path}"),
        _ => assert_eq!(part, whole, "{path}"),
    }
}
