//! Settings over settings: a file or a variable changes what stands below it.

use super::ConfigError;
use toml::{Table, Value};

pub(super) fn parse(text: &str, name: &str) -> Result<Table, ConfigError> {
    text.parse()
        .map_err(|error: toml::de::Error| ConfigError(format!("{name}: {}", one_line(&error))))
}

pub(super) fn one_line(error: &toml::de::Error) -> String {
    error
        .to_string()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) fn merge(base: &mut Table, over: Table) -> Result<(), ConfigError> {
    for (section, value) in over {
        let Value::Table(keys) = value else {
            return Err(ConfigError(format!("{section}: expected a [section]")));
        };
        for (key, value) in keys {
            slot(base, &section, &key, &format!("{section}.{key}"))?.clone_from(&value);
        }
    }
    Ok(())
}

pub(super) fn set(
    table: &mut Table,
    section: &str,
    key: &str,
    text: &str,
    name: &str,
) -> Result<(), ConfigError> {
    let slot = slot(table, section, key, name)?;
    *slot =
        match slot {
            Value::Integer(_) => Value::Integer(text.parse().map_err(|_| {
                ConfigError(format!("{name} = {text}: accepted are whole numbers"))
            })?),
            Value::Boolean(_) => Value::Boolean(text.parse().map_err(|_| {
                ConfigError(format!("{name} = {text}: accepted are true and false"))
            })?),
            Value::Array(items) => {
                let whole = items.first().is_some_and(Value::is_integer);
                let parts = text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty());
                let parts = parts.map(|part| match part.parse() {
                    Ok(number) if whole => Ok(Value::Integer(number)),
                    Err(_) if whole => Err(ConfigError(format!(
                        "{name} = {text}: accepted are whole numbers between commas"
                    ))),
                    _ => Ok(Value::String(part.to_owned())),
                });
                Value::Array(parts.collect::<Result<_, _>>()?)
            }
            _ => Value::String(text.to_owned()),
        };
    Ok(())
}

fn slot<'a>(
    table: &'a mut Table,
    section: &str,
    key: &str,
    name: &str,
) -> Result<&'a mut Value, ConfigError> {
    let known: Vec<String> = match table.get(section) {
        Some(Value::Table(keys)) => keys.keys().cloned().collect(),
        _ => {
            let sections: Vec<&str> = table.keys().map(String::as_str).collect();
            return Err(ConfigError(format!(
                "{name}: unknown section {section}; accepted are {}",
                sections.join(", ")
            )));
        }
    };
    table
        .get_mut(section)
        .and_then(Value::as_table_mut)
        .and_then(|keys| keys.get_mut(key))
        .ok_or_else(|| {
            ConfigError(format!(
                "{name}: unknown key; accepted in [{section}] are {}",
                known.join(", ")
            ))
        })
}
