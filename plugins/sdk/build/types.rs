//! Types of a content, made of its JSON Schema.
//!
//! A struct for each object and an enum for each list of words. Amounts
//! (`Value` in the schemas) are exact decimals. Each type gives its fields by
//! name as well (`Fields`), which is how a table reads them.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What becomes of a content without a field it should have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The empty value; of an enumeration, its first word.
    Default,
    /// An object or an enumeration that is not there is an error.
    Refused,
}

/// Types by name: their definition and their Rust.
#[derive(Default)]
pub struct Types(BTreeMap<String, (Value, String)>);

impl Types {
    /// Adds the content of one schema and all it refers to.
    ///
    /// # Errors
    /// Something of JSON Schema that no content used so far, or one name for
    /// two types.
    pub fn add(&mut self, text: &str, missing: Missing) -> Result<(), String> {
        let root: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let title = root["title"].as_str().ok_or("the schema has no title")?;
        let none = Map::new();
        let definitions = root["$defs"].as_object().unwrap_or(&none);
        for (name, definition) in definitions {
            if name != "Valor" {
                self.one(name, definition, definitions, missing)?;
            }
        }
        let mut content = root.clone();
        if let Some(object) = content.as_object_mut() {
            object.retain(|key, _| !matches!(key.as_str(), "$defs" | "$id" | "$schema" | "title"));
        }
        self.one(title, &content, definitions, missing)
    }

    /// The source of all types.
    pub fn source(&self) -> String {
        self.0.values().map(|(_, source)| source.as_str()).collect()
    }

    fn one(
        &mut self,
        name: &str,
        definition: &Value,
        definitions: &Map<String, Value>,
        missing: Missing,
    ) -> Result<(), String> {
        if let Some((known, _)) = self.0.get(name) {
            return if known == definition {
                Ok(())
            } else {
                Err(format!("{name} is another type elsewhere"))
            };
        }
        let source = match words(definition) {
            Some(words) => enumeration(name, definition, &words, missing),
            None => object(name, definition, definitions, missing),
        };
        let source = source.map_err(|problem| format!("{name}: {problem}"))?;
        self.0.insert(name.to_owned(), (definition.clone(), source));
        Ok(())
    }
}

/// The words of an enumeration with what is said of each.
fn words(definition: &Value) -> Option<Vec<(&str, &str)>> {
    if let Some(words) = definition["enum"].as_array() {
        return words
            .iter()
            .map(|word| Some((word.as_str()?, "")))
            .collect();
    }
    let mut found = Vec::new();
    for choice in definition["oneOf"].as_array()? {
        let said = choice["description"].as_str().unwrap_or_default();
        match choice["const"].as_str() {
            Some(word) => found.push((word, said)),
            None => {
                for word in choice["enum"].as_array()? {
                    found.push((word.as_str()?, said));
                }
            }
        }
    }
    Some(found)
}

fn enumeration(
    name: &str,
    definition: &Value,
    words: &[(&str, &str)],
    missing: Missing,
) -> Result<String, String> {
    let mut out = documented(definition["description"].as_str().unwrap_or_default(), "");
    let default = missing == Missing::Default;
    let derived = if default { "Default, " } else { "" };
    put(
        &mut out,
        format_args!(
            "#[derive(Clone, Copy, Debug, {derived}PartialEq, Eq, Deserialize)]\n\
             #[serde(rename_all = \"snake_case\")]\npub enum {name} {{\n"
        ),
    );
    for (index, (word, said)) in words.iter().enumerate() {
        out.push_str(&documented(said, "    "));
        if default && index == 0 {
            out.push_str("    #[default]\n");
        }
        put(&mut out, format_args!("    {},\n", variant(word)));
    }
    put(
        &mut out,
        format_args!(
            "}}\n\nimpl {name} {{\n    /// The word of the contract.\n    \
             pub fn word(self) -> &'static str {{\n        match self {{\n"
        ),
    );
    for (word, _) in words {
        put(
            &mut out,
            format_args!("            {name}::{} => \"{word}\",\n", variant(word)),
        );
    }
    out.push_str("        }\n    }\n}\n\n");
    Ok(out)
}

/// `nao_retido` is `NaoRetido`, as serde has it.
fn variant(word: &str) -> String {
    let mut name = String::new();
    for part in word.split('_') {
        let mut letters = part.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}

/// What a field holds.
enum Kind {
    Text,
    Decimal,
    Whole,
    Flag,
    /// An object of anything.
    Anything,
    Words(String),
    Object(String),
    List(Box<Kind>),
}

fn object(
    name: &str,
    definition: &Value,
    definitions: &Map<String, Value>,
    missing: Missing,
) -> Result<String, String> {
    let properties = definition["properties"]
        .as_object()
        .ok_or("neither an object nor words")?;
    let required: Vec<&str> = definition["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut fields = String::new();
    let mut arms = String::new();
    for (field, schema) in properties {
        let (kind, optional) =
            kind(schema, definitions).map_err(|problem| format!("{field}: {problem}"))?;
        let whole = type_of(&kind);
        let whole = if optional {
            format!("Option<{whole}>")
        } else {
            whole
        };
        fields.push_str(&documented(
            schema["description"].as_str().unwrap_or_default(),
            "    ",
        ));
        let named = matches!(kind, Kind::Words(_) | Kind::Object(_));
        if missing == Missing::Refused && !(named && required.contains(&field.as_str())) {
            fields.push_str("    #[serde(default)]\n");
        }
        put(&mut fields, format_args!("    pub {field}: {whole},\n"));
        put(
            &mut arms,
            format_args!(
                "            \"{field}\" => {},\n",
                given(field, &kind, optional)
            ),
        );
    }
    let (derived, attribute) = match missing {
        Missing::Default => ("Default, ", "#[serde(default)]\n"),
        Missing::Refused => ("", ""),
    };
    let mut out = documented(definition["description"].as_str().unwrap_or_default(), "");
    put(
        &mut out,
        format_args!(
            "#[derive(Clone, Debug, {derived}Deserialize)]\n{attribute}#[non_exhaustive]\n\
             pub struct {name} {{\n{fields}}}\n\n\
             impl Fields for {name} {{\n    fn field(&self, name: &str) -> Field<'_> {{\n        \
             match name {{\n{arms}            _ => Field::Absent,\n        }}\n    }}\n}}\n\n"
        ),
    );
    Ok(out)
}

/// What a schema allows, and whether it may be null.
fn kind(schema: &Value, definitions: &Map<String, Value>) -> Result<(Kind, bool), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        let definition = definitions.get(name).ok_or("refers to nothing")?;
        let kind = if name == "Valor" {
            Kind::Decimal
        } else if words(definition).is_some() {
            Kind::Words(name.to_owned())
        } else {
            Kind::Object(name.to_owned())
        };
        return Ok((kind, false));
    }
    if let Some([one, null]) = schema["anyOf"].as_array().map(Vec::as_slice)
        && null["type"] == "null"
    {
        return Ok((kind(one, definitions)?.0, true));
    }
    let (name, optional) = match &schema["type"] {
        Value::String(name) => (name.as_str(), false),
        Value::Array(names) => match names.as_slice() {
            [Value::String(name), null] if null == "null" => (name.as_str(), true),
            _ => return Err("more than one type".into()),
        },
        _ => return Err("no type".into()),
    };
    let kind = match name {
        "string" => Kind::Text,
        "integer" => Kind::Whole,
        "boolean" => Kind::Flag,
        "object" if schema["properties"].is_null() => Kind::Anything,
        "array" => Kind::List(Box::new(kind(&schema["items"], definitions)?.0)),
        other => return Err(format!("{other} is not among the types of a content")),
    };
    Ok((kind, optional))
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Text => "String".into(),
        Kind::Decimal => "Decimal".into(),
        Kind::Whole => "u64".into(),
        Kind::Flag => "bool".into(),
        Kind::Anything => "Map<String, Value>".into(),
        Kind::Words(name) | Kind::Object(name) => name.clone(),
        Kind::List(item) => format!("Vec<{}>", type_of(item)),
    }
}

/// The expression of a field as a table reads it.
fn given(field: &str, kind: &Kind, optional: bool) -> String {
    let value = match kind {
        Kind::Text => "Field::Text(value)",
        Kind::Decimal => "Field::Decimal(*value)",
        Kind::Whole => "Field::Whole(*value)",
        Kind::Flag => "Field::Flag(*value)",
        Kind::Words(_) => "Field::Word(value.word())",
        Kind::Object(_) => "Field::Object(value)",
        Kind::List(item) if matches!(**item, Kind::Text) => "Field::Texts(value)",
        Kind::List(item) if matches!(**item, Kind::Object(_)) => {
            "Field::List(value.iter().map(|item| item as &dyn Fields).collect())"
        }
        // No table reads these.
        Kind::Anything | Kind::List(_) => return "Field::Absent".into(),
    };
    if optional {
        format!("self.{field}.as_ref().map_or(Field::Absent, |value| {value})")
    } else {
        format!("{{ let value = &self.{field}; {value} }}")
    }
}

fn documented(text: &str, indent: &str) -> String {
    text.lines()
        .map(|line| format!("{indent}/// {line}\n"))
        .collect()
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String does not fail.
    out.write_fmt(text).unwrap_or_default();
}
