//! A new adapter that compiles and whose case passes at once.

use anyhow::{Context as _, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longest name: it becomes a package, a file and a word of the registry.
const NAME_CHARS: usize = 32;

/// Path in the new folder and text, with `{{name}}` and `{{crate}}` in it.
const FILES: [(&str, &str); 11] = [
    ("Cargo.toml", include_str!("scaffold/Cargo.toml.txt")),
    ("README.md", include_str!("scaffold/README.md.txt")),
    ("src/lib.rs", include_str!("scaffold/lib.rs.txt")),
    ("tests/cases.rs", include_str!("scaffold/cases.rs.txt")),
    (
        "cases/issued/case.toml",
        include_str!("scaffold/case-issued/case.toml"),
    ),
    (
        "cases/issued/input.json",
        include_str!("scaffold/case-issued/input.json"),
    ),
    (
        "cases/issued/01-request.toml",
        include_str!("scaffold/case-issued/01-request.toml"),
    ),
    (
        "cases/issued/01-request.xml",
        include_str!("scaffold/case-issued/01-request.xml"),
    ),
    (
        "cases/issued/01-response.toml",
        include_str!("scaffold/case-issued/01-response.toml"),
    ),
    (
        "cases/issued/01-response.xml",
        include_str!("scaffold/case-issued/01-response.xml"),
    ),
    (
        "cases/issued/outcome.json",
        include_str!("scaffold/case-issued/outcome.json"),
    ),
];

/// Kind of authority a new adapter speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum World {
    /// Service notes: municipal systems and the national environment.
    Nfse,
}

/// Writes `plugins/<name>` and makes it known to the workspace; returns the
/// folder.
///
/// # Errors
/// The name is not usable, the folder exists, or cargo does not accept it.
pub fn create(workspace: &Path, name: &str, world: World) -> anyhow::Result<PathBuf> {
    check_name(name)?;
    let folder = workspace.join("plugins").join(name);
    if folder.exists() {
        bail!("{} exists already", folder.display());
    }
    let World::Nfse = world;
    for (path, text) in FILES {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        let text = text
            .replace("{{name}}", name)
            .replace("{{crate}}", &name.replace('-', "_"));
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
    }
    lock(workspace)?;
    Ok(folder)
}

/// Whether a new adapter may have this name.
///
/// # Errors
/// Why it may not.
pub fn check_name(name: &str) -> anyhow::Result<()> {
    let plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let begins = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    if !plain || !begins || name.ends_with('-') || name.len() > NAME_CHARS {
        bail!(
            "{name}: a name begins with a letter and has up to {NAME_CHARS} lower-case letters, digits and '-'"
        );
    }
    if name == "sdk" {
        bail!("sdk is the name of the adapters' library");
    }
    Ok(())
}

/// Puts the new package into Cargo.lock: adapters are built with `--locked`.
/// It needs nothing new, so no network is asked.
fn lock(workspace: &Path) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let updated = Command::new(cargo)
        .current_dir(workspace)
        .args(["update", "--workspace", "--offline", "--quiet"])
        .status()
        .context("cargo cannot be started")?;
    if !updated.success() {
        bail!("cargo does not accept the new package");
    }
    Ok(())
}
