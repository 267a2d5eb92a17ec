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
use base::config::{AuthoritiesMode, Config};
use events::attempt::guard::literal;
use flow::registry::{MAX_BYTES, Registry, RegistryError};
use reqwest::Url;
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

/// Reads a registry from a file to use it: its addresses may be asked, too.
///
/// # Errors
/// As [`read`] and [`usable`].
pub fn read_usable(file: &Path, config: &Config) -> anyhow::Result<Registry> {
    let text = text_of(file).with_context(|| format!("registry {}", file.display()))?;
    usable(&text, config).map_err(|errors| unusable(&file.display().to_string(), &errors))
}

/// A registry whose addresses may be asked: none is, by what it says, of an internal
/// network that `registry.allow_nets` does not open. Where the authorities are
/// simulated nothing is sent to them, and any will do.
///
/// # Errors
/// Everything wrong with the text.
pub fn usable(text: &str, config: &Config) -> Result<Registry, Vec<RegistryError>> {
    let registry = Registry::parse(text)?;
    if config.authorities.mode == AuthoritiesMode::Simulator {
        return Ok(registry);
    }
    let outside = config.registry.outside();
    let inside = |address: &str| {
        let url = Url::parse(address).ok();
        url.and_then(|url| literal(&url))
            .is_some_and(|found| !outside.allows(found))
    };
    let mut errors: Vec<RegistryError> = registry
        .all_addresses()
        .into_iter()
        .filter(|address| inside(address))
        .map(|address| RegistryError {
            line: line_of(text, address),
            message: format!(
                "{address} is an address of an internal network, which registry.allow_nets does not open"
            ),
        })
        .collect();
    if errors.is_empty() {
        return Ok(registry);
    }
    errors.sort_by_key(|error| error.line);
    Err(errors)
}

/// The first line with an address, between quotes.
fn line_of(text: &str, address: &str) -> usize {
    let quoted = [format!("\"{address}\""), format!("'{address}'")];
    let mut lines = text.lines();
    let at = lines.position(|line| quoted.iter().any(|quoted| line.contains(quoted.as_str())));
    at.map_or(1, |at| at + 1)
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
