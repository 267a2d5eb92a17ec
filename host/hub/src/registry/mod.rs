//! The registry of municipalities for people and programs outside the hub:
//! its numbers, its records, and what a change to it does.

mod difference;
mod stats;
mod table;

pub use difference::{as_json, as_text};
pub use stats::stats;
pub use table::{csv, json};

use anyhow::Context as _;
use flow::registry::Registry;
use std::path::Path;

/// Reads a registry from a file.
///
/// # Errors
/// The file cannot be read, or everything wrong with its text, each with its
/// line.
pub fn read(file: &Path) -> anyhow::Result<Registry> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Registry::parse(&text).map_err(|errors| {
        let lines: Vec<String> = errors
            .iter()
            .map(|error| format!("{}:{}: {}", file.display(), error.line, error.message))
            .collect();
        anyhow::anyhow!("{}", lines.join("\n"))
    })
}
