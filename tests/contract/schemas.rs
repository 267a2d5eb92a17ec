//! The published JSON Schemas, the host's types and the SDK's types.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use tests::adapters::workspace;

/// `nfse.dps/1` is in `nfse.dps.1.json`.
fn file_name(schema: &str) -> String {
    format!("{}.json", schema.replace('/', "."))
}

/// `BLESS=1` writes them. A published schema may gain optional fields; any
/// other change is a new number.
#[test]
fn published_schemas_are_the_code() {
    let folder = workspace().join("wit/schemas");
    let bless = std::env::var_os("BLESS").is_some();
    let mut names = BTreeSet::new();
    for (schema, value) in fiscal::nfse::schemas() {
        let name = file_name(schema);
        let mut value = value;
        value["$id"] = schema.into();
        let text = format!("{}\n", serde_json::to_string_pretty(&value).expect("JSON"));
        let path = folder.join(&name);
        if bless {
            std::fs::create_dir_all(&folder).expect("folder");
            std::fs::write(&path, &text).expect("write");
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            published, text,
            "wit/schemas/{name} is not what the code says; if it should be, run with BLESS=1"
        );
        names.insert(name);
    }
    let found: BTreeSet<String> = std::fs::read_dir(&folder)
        .expect("folder")
        .map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        // These are written by hand and judged where they are read: plugins/{sefaz,psp,chatapp,lookup}/tests.
        .filter(|name| {
            let apart = ["sefaz.", "pagamento.", "mensagem.", "consulta.", "numero."];
            !apart.iter().any(|family| name.starts_with(family))
        })
        .collect();
    assert_eq!(found, names, "a schema without code");
}

#[test]
fn the_sdk_names_the_same_schemas() {
    let host: Vec<&str> = fiscal::nfse::schemas()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        host,
        [
            sdk::nfse::SCHEMA_DPS,
            sdk::nfse::SCHEMA_RPS,
            sdk::nfse::SCHEMA_REF,
            sdk::nfse::SCHEMA_CANCELAMENTO
        ]
    );
}

/// Documents with every field and, over all of them, every word of every
/// enumeration: what the host writes, an adapter reads whole.
#[test]
fn the_sdk_reads_whatever_the_host_writes() {
    for (schema, definition) in fiscal::nfse::schemas() {
        let mut words = 1;
        let mut turn = 0;
        while turn < words {
            let mut generator = Generator {
                root: &definition,
                turn,
                words: 1,
                next: 0,
                leaves: Vec::new(),
            };
            let document = generator.value(&definition, 0);
            words = words.max(generator.words);
            let leaves = generator.leaves;
            assert!(
                leaves.len() > 2,
                "{schema}: too little was generated: {document}"
            );
            // Through the host's type: what is compared is what it writes.
            let json = through_host(schema, document);
            let (read, unread) = through_sdk(schema, &json);
            assert!(
                unread.is_empty(),
                "{schema}: the SDK does not know {unread:?}"
            );
            for leaf in leaves {
                assert!(
                    read.contains(&leaf),
                    "{schema}: {leaf} of {json} is not in {read}"
                );
            }
            turn += 1;
        }
    }
}

fn through_host(schema: &str, document: Value) -> String {
    use fiscal::nfse::{Cancelamento, Dps, NotaRef, RpsRef};
    fn again<T: serde::Serialize + serde::de::DeserializeOwned>(document: Value) -> String {
        let typed: T = serde_json::from_value(document.clone())
            .unwrap_or_else(|error| panic!("{error}: {document}"));
        serde_json::to_string(&typed).expect("JSON")
    }
    match schema {
        "nfse.dps/1" => again::<Dps>(document),
        "nfse.rps/1" => again::<RpsRef>(document),
        "nfse.ref/1" => again::<NotaRef>(document),
        "nfse.cancelamento/1" => again::<Cancelamento>(document),
        other => panic!("{other} has no type here"),
    }
}

/// The content as the SDK holds it, and the paths it did not read.
fn through_sdk(schema: &str, json: &str) -> (String, Vec<String>) {
    use sdk::nfse::{Cancelamento, Dps, NotaRef, RpsRef};
    fn read<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> (String, Vec<String>) {
        let mut unread = Vec::new();
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let read: T =
            serde_ignored::deserialize(&mut deserializer, |path| unread.push(path.to_string()))
                .unwrap_or_else(|error| panic!("{error}: {json}"));
        (format!("{read:?}"), unread)
    }
    match schema {
        "nfse.dps/1" => read::<Dps>(json),
        "nfse.rps/1" => read::<RpsRef>(json),
        "nfse.ref/1" => read::<NotaRef>(json),
        "nfse.cancelamento/1" => read::<Cancelamento>(json),
        other => panic!("{other} has no type here"),
    }
}

/// A value for every property of a schema, each different from all others.
struct Generator<'a> {
    root: &'a Value,
    /// Which word of each enumeration is used.
    turn: usize,
    /// Words of the longest enumeration met.
    words: usize,
    next: u64,
    /// What must be found again, as `Debug` writes it.
    leaves: Vec<String>,
}

/// Schemas nest by reference only as deep as the types do.
const DEEPEST: usize = 32;

impl Generator<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        assert!(depth < DEEPEST, "the schema refers to itself");
        if let Some(reference) = schema["$ref"].as_str() {
            if reference.ends_with("/Valor") {
                return self.decimal();
            }
            let pointer = reference.trim_start_matches('#');
            let target = self
                .root
                .pointer(pointer)
                .unwrap_or_else(|| panic!("{reference}"))
                .clone();
            return self.value(&target, depth + 1);
        }
        let choices: Option<Vec<Value>> = ["anyOf", "oneOf"]
            .iter()
            .find_map(|key| schema[key].as_array())
            .map(|list| {
                list.iter()
                    .filter(|choice| choice["type"] != "null")
                    .cloned()
                    .collect()
            });
        if let Some(choices) = choices {
            if choices.len() > 1
                && choices
                    .iter()
                    .all(|choice| choice["const"].is_string() || choice["enum"].is_array())
            {
                let words = choices
                    .iter()
                    .flat_map(|choice| match choice["enum"].as_array() {
                        Some(words) => words.clone(),
                        None => vec![choice["const"].clone()],
                    });
                return self.word(&words.collect::<Vec<_>>());
            }
            let first = choices.first().expect("a choice").clone();
            return self.value(&first, depth + 1);
        }
        if let Some(all) = schema["allOf"].as_array() {
            let mut members = Map::new();
            for part in all
                .iter()
                .chain([&json!({ "type": "object", "properties": schema["properties"] })])
            {
                if let Value::Object(more) = self.value(part, depth + 1) {
                    members.extend(more);
                }
            }
            return members.into();
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.word(&words.clone());
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds
                .iter()
                .find_map(|kind| kind.as_str().filter(|kind| *kind != "null")),
            kind => kind.as_str(),
        };
        match kind {
            Some("object") => match schema["properties"].as_object() {
                Some(properties) => properties
                    .clone()
                    .iter()
                    .map(|(name, schema)| (name.clone(), self.value(schema, depth + 1)))
                    .collect(),
                // A map of anything.
                None => json!({ "livre": self.text() }),
            },
            Some("array") => json!([
                self.value(&schema["items"], depth + 1),
                self.value(&schema["items"], depth + 1)
            ]),
            Some("string") => self.text(),
            Some("integer") => {
                self.next += 1;
                self.leaves.push((90_000 + self.next).to_string());
                (90_000 + self.next).into()
            }
            Some("boolean") => true.into(),
            other => panic!("{other:?} in {schema}"),
        }
    }

    fn text(&mut self) -> Value {
        self.next += 1;
        let text = format!("texto-{}-fim", self.next);
        self.leaves.push(format!("{text:?}"));
        text.into()
    }

    /// Unlike every other number, so that it is found in the digits.
    fn decimal(&mut self) -> Value {
        self.next += 1;
        // Ends in 1: trailing zeros are not digits.
        let digits = (800_001 + 10 * self.next).to_string();
        self.leaves.push(digits.clone());
        format!("{}.{}", &digits[..3], &digits[3..]).into()
    }

    fn word(&mut self, words: &[Value]) -> Value {
        self.words = self.words.max(words.len());
        let word = words[self.turn % words.len()].as_str().expect("a word");
        // `nao_retido` is `NaoRetido` in Rust.
        let name: String = word
            .split('_')
            .map(|part| part[..1].to_uppercase() + &part[1..])
            .collect();
        self.leaves.push(name);
        word.into()
    }
}
