//! The registry of municipalities for people and programs outside the hub:
//! its numbers, its records, and what a change to it does.

mod difference;
mod stats;
mod table;

pub use difference::{as_json, as_text};
pub use stats::stats;
pub use table::{csv, json};

use anyhow::Context as _;
use flow::registry::{Registry, RegistryError};
use std::path::Path;

/// Reads a registry from a file.
///
/// # Errors
/// The file cannot be read, or everything wrong with its text, each with its
/// line.
pub fn read(file: &Path) -> anyhow::Result<Registry> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("registry {}", file.display()))?;
    Registry::parse(&text).map_err(|errors| unusable(&file.display().to_string(), &errors))
}

/// Everything wrong with a registry, each mistake with its line.
pub fn unusable(name: &str, errors: &[RegistryError]) -> anyhow::Error {
    let lines: Vec<String> = errors
        .iter()
        .map(|error| format!("{name}:{}: {}", error.line, error.message))
        .collect();
    anyhow::anyhow!("registry not usable:\n{}", lines.join("\n"))
}
