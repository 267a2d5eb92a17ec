//! Settings over settings: a file, a variable or a flag changes what stands
//! below it, and each value knows where it comes from.

use super::ConfigError;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Default,
    File(PathBuf),
    Variable(String),
    Flag,
    /// The file a `…_file` setting names.
    Secret(PathBuf),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File(path) => write!(f, "file {}", path.display()),
            Source::Variable(name) => write!(f, "variable {name}"),
            Source::Flag => f.write_str("flag"),
            Source::Secret(path) => write!(f, "secret file {}", path.display()),
        }
    }
}

/// What a key that names the file of a secret ends with: `token_file` is a
/// file that holds `token`. So a setting is a secret when it has one.
const OF_FILE: &str = "_file";

/// All settings, and where each comes from.
pub struct Layers {
    pub(super) table: Table,
    sources: BTreeMap<(String, String), Source>,
}

/// The variable of a setting.
pub(super) fn variable(section: &str, key: &str) -> String {
    format!("HUB_{}_{}", section.to_uppercase(), key.to_uppercase())
}

impl Layers {
    /// The defaults alone.
    ///
    /// # Errors
    /// The built-in defaults do not read, which a test excludes.
    pub fn defaults() -> Result<Layers, ConfigError> {
        Ok(Layers {
            table: parse(super::DEFAULT, "built-in defaults")?,
            sources: BTreeMap::new(),
        })
    }

    /// Defaults, file, variables, flags and the files of secrets.
    pub(super) fn gather(
        file: Option<&Path>,
        environment: impl Fn(&str) -> Option<String>,
        overrides: &[(&str, String)],
    ) -> Result<Layers, ConfigError> {
        let mut layers = Layers::defaults()?;
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .map_err(|error| ConfigError(format!("--config {}: {error}", path.display())))?;
            layers.merge(parse(&text, &path.display().to_string())?, path)?;
        }
        for (section, key) in layers.keys() {
            let name = variable(&section, &key);
            if let Some(text) = environment(&name) {
                let source = Source::Variable(name.clone());
                layers.set(&section, &key, &text, &name, source)?;
            }
        }
        for (path, text) in overrides {
            let (section, key) = path.split_once('.').unwrap_or((path, ""));
            layers.set(section, key, text, path, Source::Flag)?;
        }
        layers.read_secrets()?;
        Ok(layers)
    }

    /// Section and key of every setting.
    pub fn keys(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (section, keys) in &self.table {
            let keys = keys.as_table().into_iter().flat_map(|keys| keys.keys());
            all.extend(keys.map(|key| (section.clone(), key.clone())));
        }
        all
    }

    pub(super) fn source(&self, section: &str, key: &str) -> &Source {
        let known = self.sources.get(&(section.to_owned(), key.to_owned()));
        known.unwrap_or(&Source::Default)
    }

    /// A setting that may come from a file of its own is one nobody should see.
    pub fn is_secret(&self, section: &str, key: &str) -> bool {
        self.text(section, &format!("{key}{OF_FILE}")).is_some()
    }

    fn text(&self, section: &str, key: &str) -> Option<&str> {
        self.table.get(section)?.get(key)?.as_str()
    }

    fn merge(&mut self, over: Table, path: &Path) -> Result<(), ConfigError> {
        for (section, value) in over {
            let Value::Table(keys) = value else {
                return Err(ConfigError(format!("{section}: expected a [section]")));
            };
            for (key, value) in keys {
                let name = format!("{section}.{key}");
                slot(&mut self.table, &section, &key, &name)?.clone_from(&value);
                let source = Source::File(path.to_owned());
                self.sources.insert((section.clone(), key), source);
            }
        }
        Ok(())
    }

    fn set(
        &mut self,
        section: &str,
        key: &str,
        text: &str,
        name: &str,
        source: Source,
    ) -> Result<(), ConfigError> {
        let slot = slot(&mut self.table, section, key, name)?;
        *slot = read(slot, text, name)?;
        let place = (section.to_owned(), key.to_owned());
        self.sources.insert(place, source);
        Ok(())
    }

    /// Puts what the files of secrets hold in their places.
    fn read_secrets(&mut self) -> Result<(), ConfigError> {
        for (section, key) in self.keys() {
            let Some(secret) = key.strip_suffix(OF_FILE) else {
                continue;
            };
            let (Some(path), Some(given)) =
                (self.text(&section, &key), self.text(&section, secret))
            else {
                continue;
            };
            if path.is_empty() {
                continue;
            }
            if !given.is_empty() {
                return Err(ConfigError(format!(
                    "{section}.{secret}, {section}.{key} = {path}: accepted is one of the two"
                )));
            }
            let path = PathBuf::from(path);
            let text = std::fs::read_to_string(&path).map_err(|error| {
                ConfigError(format!("{section}.{key} = {}: {error}", path.display()))
            })?;
            let name = format!("{section}.{secret}");
            *slot(&mut self.table, &section, secret, &name)? =
                Value::String(text.trim().to_owned());
            let place = (section.clone(), secret.to_owned());
            self.sources.insert(place, Source::Secret(path));
        }
        Ok(())
    }
}

fn parse(text: &str, name: &str) -> Result<Table, ConfigError> {
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

/// A text as the kind of value its setting has.
fn read(old: &Value, text: &str, name: &str) -> Result<Value, ConfigError> {
    Ok(match old {
        Value::Integer(_) => Value::Integer(
            text.parse()
                .map_err(|_| ConfigError(format!("{name} = {text}: accepted are whole numbers")))?,
        ),
        Value::Boolean(_) => {
            Value::Boolean(text.parse().map_err(|_| {
                ConfigError(format!("{name} = {text}: accepted are true and false"))
            })?)
        }
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
    })
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
