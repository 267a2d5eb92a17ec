//! The settings as `hub config check` prints them, and variables that were
//! meant to be settings.

use super::ConfigError;
use super::layers::{Layers, variable};
use std::path::Path;
use toml::Value;

/// Variables that are no settings and are known all the same, and beginnings
/// of such.
const LOG: &str = "HUB_LOG";
const OTHERS: [&str; 3] = ["HUB_TEST_", "HUB_FAULT_", "HUB_BENCH_"];
/// Letters by which a name may miss the one that was meant.
const SLIPS: usize = 2;

/// A setting in force. Its text is `server.listen = "127.0.0.1:8080" (default)`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Effective {
    /// `server.listen`.
    pub setting: String,
    /// Its value, as a settings file writes it; of a secret, `…`.
    pub value: String,
    /// Where it comes from.
    pub source: String,
}

impl std::fmt::Display for Effective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Effective {
            setting,
            value,
            source,
        } = self;
        write!(f, "{setting} = {value} ({source})")
    }
}

/// Every setting in force. What is a secret is not shown.
///
/// # Errors
/// As `Config::load`.
pub fn effective(
    file: Option<&Path>,
    environment: impl Fn(&str) -> Option<String>,
    overrides: &[(&str, String)],
) -> Result<Vec<Effective>, ConfigError> {
    let layers = Layers::gather(file, environment, overrides)?;
    let mut settings = Vec::new();
    for (section, key) in layers.keys() {
        let value = layers.table.get(&section).and_then(|keys| keys.get(&key));
        let shown = match value {
            Some(Value::String(text)) if text.is_empty() => "\"\"".to_owned(),
            // A SQLite URL is a path.
            Some(Value::String(text)) if text.starts_with("sqlite:") => format!("\"{text}\""),
            Some(_) if layers.is_secret(&section, &key) => "…".to_owned(),
            Some(value) => value.to_string(),
            None => continue,
        };
        settings.push(Effective {
            setting: format!("{section}.{key}"),
            value: shown,
            source: layers.source(&section, &key).to_string(),
        });
    }
    Ok(settings)
}

/// A line for each variable that looks like a setting and is none.
pub fn unknown(names: impl Iterator<Item = String>) -> Vec<String> {
    let Ok(layers) = Layers::defaults() else {
        return Vec::new();
    };
    let keys = layers.keys();
    let known: Vec<String> = keys
        .iter()
        .map(|(section, key)| variable(section, key))
        .collect();
    let mut lines = Vec::new();
    for name in names {
        if !name.starts_with("HUB_")
            || known.contains(&name)
            || name == LOG
            || OTHERS.iter().any(|other| name.starts_with(other))
        {
            continue;
        }
        let nearest = known
            .iter()
            .map(|known| (distance(&name, known), known))
            .min();
        // Others put variables of their own beside ours: a cluster has
        // HUB_SERVICE_HOST and HUB_PORT for a service called hub.
        let section = name.split('_').nth(1).unwrap_or_default();
        let meant = layers.table.keys().any(|known| {
            let slips = if known.len() < 5 { 0 } else { SLIPS };
            distance(section, &known.to_uppercase()) <= slips
        });
        if let Some((far, nearest)) = nearest
            && (meant || far <= SLIPS)
        {
            lines.push(format!(
                "{name} is no setting and has no effect; the nearest is {nearest}"
            ));
        }
    }
    lines.sort();
    lines
}

/// Letters to put in, take out or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
