//! The registry of municipalities for people and programs outside the hub:
//! its numbers, its records, and what a change to it does.

mod difference;
mod stats;
mod table;
pub mod tiers;

pub use difference::{as_json, as_text};
pub use stats::stats;
pub use table::{csv, json};

use anyhow::Context as _;
use flow::registry::{MAX_BYTES, Registry, RegistryError};
use std::io::Read as _;
use std::path::Path;

/// Reads a registry from a file.
///
/// # Errors
/// The file cannot be read, or everything wrong with its text, each with its
/// line.
pub fn read(file: &Path) -> anyhow::Result<Registry> {
    let text = text_of(file).with_context(|| format!("registry {}", file.display()))?;
    Registry::parse(&text).map_err(|errors| unusable(&file.display().to_string(), &errors))
}

/// The text of a registry's file. A pipe or device, which may never end, is no
/// file, and of a larger one than a registry may be no more is read.
///
/// # Errors
/// It is no file, too large, not UTF-8, or cannot be read.
pub fn text_of(file: &Path) -> anyhow::Result<String> {
    anyhow::ensure!(std::fs::metadata(file)?.is_file(), "not a file");
    let mut text = String::new();
    let most = u64::try_from(MAX_BYTES)?.saturating_add(1);
    std::fs::File::open(file)?
        .take(most)
        .read_to_string(&mut text)?;
    anyhow::ensure!(
        text.len() <= MAX_BYTES,
        "larger than {} MiB",
        MAX_BYTES / 1024 / 1024
    );
    Ok(text)
}

/// Everything wrong with a registry, each mistake with its line.
pub fn unusable(name: &str, errors: &[RegistryError]) -> anyhow::Error {
    let lines: Vec<String> = errors
        .iter()
        .map(|error| format!("{name}:{}: {}", error.line, error.message))
        .collect();
    anyhow::anyhow!("registry not usable:\n{}", lines.join("\n"))
}
