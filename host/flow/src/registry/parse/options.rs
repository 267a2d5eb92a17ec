//! Adapter options: what an adapter accepts, and the values given.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::super::model::{Adapter, OptionKind, OptionSpec, OptionValue, Options};
use super::reader::{Reader, Value};

const DAY_MS: i64 = 86_400_000;

const KINDS: &str = "texto, inteiro, decimal, logico, escolha, lista";

/// `[adapters.<name>.options]`.
pub(super) fn specs(reader: &mut Reader, table: &DeTable<'_>) -> BTreeMap<String, OptionSpec> {
    let mut specs = BTreeMap::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        if let Some(spec) = spec(reader, name, key.span().start, value) {
            specs.insert(name.to_owned(), spec);
        }
    }
    specs
}

fn spec(reader: &mut Reader, name: &str, at: usize, value: &Value<'_>) -> Option<OptionSpec> {
    let table = reader.table(name, value)?;
    let mut kind = None;
    let mut values = Vec::new();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "tipo" => {
                let word = reader.text("tipo", value)?;
                kind = kind_of(&word);
                if kind.is_none() {
                    reader.wrong("tipo", value, KINDS);
                    return None;
                }
            }
            "valores" => values = reader.texts("valores", value),
            other => reader.unknown(key.span().start, other, "tipo, valores"),
        }
    }
    let Some(kind) = kind else {
        reader.missing(at, &format!("option \"{name}\""), "tipo");
        return None;
    };
    if matches!(kind, OptionKind::Choice | OptionKind::List) == values.is_empty() {
        reader.error(
            at,
            format!("option \"{name}\": \"valores\" goes with escolha and lista"),
        );
        return None;
    }
    Some(OptionSpec { kind, values })
}

fn kind_of(word: &str) -> Option<OptionKind> {
    Some(match word {
        "texto" => OptionKind::Text,
        "inteiro" => OptionKind::Integer,
        "decimal" => OptionKind::Decimal,
        "logico" => OptionKind::Flag,
        "escolha" => OptionKind::Choice,
        "lista" => OptionKind::List,
        _ => return None,
    })
}

/// Values of a system or of a route, against what its adapter accepts.
pub(super) fn values(reader: &mut Reader, value: &Value<'_>, adapter: Option<&Adapter>) -> Options {
    let mut options = Options::new();
    let Some(table) = reader.table("options", value) else {
        return options;
    };
    let Some(adapter) = adapter else {
        reader.error(
            value.span().start,
            "options need a system with an adapter; remarks go into \"notas\"".to_owned(),
        );
        return options;
    };
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let Some(spec) = adapter.options.get(name) else {
            let known: Vec<&str> = adapter.options.keys().map(String::as_str).collect();
            reader.error(
                key.span().start,
                format!(
                    "unknown option \"{name}\" of adapter {}; accepted: {}",
                    adapter.name,
                    known.join(", ")
                ),
            );
            continue;
        };
        if let Some(found) = typed(reader, name, spec, value) {
            options.insert(name.to_owned(), found);
        }
    }
    options
}

fn typed(
    reader: &mut Reader,
    name: &str,
    spec: &OptionSpec,
    value: &Value<'_>,
) -> Option<OptionValue> {
    match spec.kind {
        OptionKind::Text => reader.text(name, value).map(OptionValue::Text),
        OptionKind::Integer => integer(reader, name, value).map(OptionValue::Integer),
        OptionKind::Flag => reader.flag(name, value).map(OptionValue::Flag),
        OptionKind::Decimal => {
            let text = reader.text(name, value)?;
            if !is_decimal(&text) {
                reader.wrong(name, value, "a decimal between quotes, such as \"0.05\"");
                return None;
            }
            Some(OptionValue::Text(text))
        }
        OptionKind::Choice => {
            let text = reader.text(name, value)?;
            if !spec.values.contains(&text) {
                reader.wrong(name, value, &spec.values.join(", "));
                return None;
            }
            Some(OptionValue::Text(text))
        }
        OptionKind::List => {
            let items = reader.texts(name, value);
            if items.is_empty() || items.iter().any(|item| !spec.values.contains(item)) {
                reader.wrong(
                    name,
                    value,
                    &format!("a list of {}", spec.values.join(", ")),
                );
                return None;
            }
            Some(OptionValue::List(items))
        }
    }
}

/// A number that an adapter counts or waits by: none is below zero, and a time in
/// milliseconds is neither nothing nor more than a day.
fn integer(reader: &mut Reader, name: &str, value: &Value<'_>) -> Option<i64> {
    let number = reader.integer(name, value)?;
    let (least, most, accepted) = if name.ends_with("_ms") {
        (1, DAY_MS, "milliseconds, from 1 to 86400000 (a day)")
    } else {
        (0, i64::MAX, "a whole number from 0")
    };
    if !(least..=most).contains(&number) {
        reader.wrong(name, value, accepted);
        return None;
    }
    Some(number)
}

/// `-?[0-9]+(\.[0-9]+)?`, as the contract writes decimals.
fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    match text.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(text),
    }
}
