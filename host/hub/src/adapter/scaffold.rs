//! A new adapter that becomes a component and whose cases pass at once.

mod base;

pub use base::{Base, Names};

use super::javascript;
use anyhow::{Context as _, bail};
use clap::{Args as _, FromArgMatches as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longest name: it becomes a package, a file and a word of the registry.
const NAME_CHARS: usize = 32;

/// Path in the new folder and text, with words in double braces.
type Files = &'static [(&'static str, &'static str)];

macro_rules! cases {
    ($($case:literal / $file:literal = $folder:literal),* $(,)?) => {
        &[$((
            concat!("cases/", $case, "/", $file),
            include_str!(concat!("scaffold/case-", $folder, "/", $file)),
        )),*]
    };
}

/// The cases of an adapter that begins from nothing. Both send the same.
const CASES: Files = cases!(
    "issued" / "case.toml" = "issued",
    "issued" / "input.json" = "issued",
    "issued" / "01-request.toml" = "issued",
    "issued" / "01-request.xml" = "issued",
    "issued" / "01-response.toml" = "issued",
    "issued" / "01-response.xml" = "issued",
    "issued" / "outcome.json" = "issued",
    "refused" / "case.toml" = "refused",
    "refused" / "input.json" = "issued",
    "refused" / "01-request.toml" = "issued",
    "refused" / "01-request.xml" = "issued",
    "refused" / "01-response.toml" = "refused",
    "refused" / "01-response.xml" = "refused",
    "refused" / "outcome.json" = "refused",
);

/// What the registry needs for an adapter that begins from nothing.
const REGISTRY: Files = &[("registro.toml", include_str!("scaffold/registro.toml.txt"))];

const RUST: Files = &[
    ("Cargo.toml", include_str!("scaffold/Cargo.toml.txt")),
    ("README.md", include_str!("scaffold/README.md.txt")),
    ("src/lib.rs", include_str!("scaffold/lib.rs.txt")),
    ("tests/cases.rs", include_str!("scaffold/cases.rs.txt")),
];

const JAVASCRIPT: Files = &[
    (
        "adapter.js",
        include_str!("scaffold/javascript/adapter.js.txt"),
    ),
    (
        "package.json",
        include_str!("scaffold/javascript/package.json.txt"),
    ),
    (
        "README.md",
        include_str!("scaffold/javascript/README.md.txt"),
    ),
    (
        ".gitignore",
        include_str!("scaffold/javascript/gitignore.txt"),
    ),
];

/// Kind of authority a new adapter speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum World {
    /// Service notes: municipal systems and the national environment.
    Nfse,
}

/// What it is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    Rust,
    Javascript,
}

/// What a new adapter shall be.
#[derive(Clone, Debug, clap::Args)]
pub struct New {
    /// Lower-case letters, digits and '-'.
    pub name: String,
    /// Kind of authority it speaks to.
    #[arg(long, value_enum, default_value = "nfse")]
    pub world: World,
    /// What it is written in.
    #[arg(long, value_enum, default_value = "rust")]
    pub language: Language,
    /// What one in Rust begins from.
    #[arg(long, value_enum, default_value = "blank")]
    pub base: Base,
    #[command(flatten)]
    pub names: Names,
    /// Folder to make, instead of plugins/NAME of the checkout; only for JavaScript.
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

impl New {
    /// What these arguments of the command say.
    ///
    /// # Errors
    /// The command does not know one of them.
    pub fn of(arguments: &[&str]) -> Result<New, clap::Error> {
        let command = New::augment_args(clap::Command::new("new").no_binary_name(true));
        New::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }
}

/// What was made.
#[derive(Debug)]
pub struct Made {
    pub folder: PathBuf,
    /// Commands that try it.
    pub next: String,
}

/// Writes the folder of a new adapter and, in a checkout, makes it known there.
///
/// # Errors
/// The name is not usable, an option belongs to another base, the folder exists, there is neither a checkout nor a folder,
/// or cargo does not accept the package.
pub fn create(workspace: Option<&Path>, new: &New) -> anyhow::Result<Made> {
    check_name(&new.name)?;
    let World::Nfse = new.world;
    new.names.belong_to(new.base)?;
    let folder = match (&new.folder, workspace) {
        (Some(_), _) if new.language == Language::Rust => {
            bail!("an adapter in Rust is a package of the checkout: leave --folder out")
        }
        (Some(folder), _) => folder.clone(),
        (None, Some(workspace)) => workspace.join("plugins").join(&new.name),
        (None, None) => bail!(
            "no checkout of the hub around here: with --language javascript --folder FOLDER none is needed"
        ),
    };
    if folder.exists() {
        bail!("{} exists already", folder.display());
    }
    match new.language {
        Language::Rust => rust(workspace, &folder, new),
        Language::Javascript if new.base != Base::Blank => {
            bail!("a base is a library in Rust: leave --base out")
        }
        Language::Javascript => javascript(workspace, &folder, new),
    }
}

fn rust(workspace: Option<&Path>, folder: &Path, new: &New) -> anyhow::Result<Made> {
    let workspace = workspace.context("a checkout")?;
    let name = new.name.as_str();
    if new.base == Base::Blank {
        let words = [("name", name), ("crate", &name.replace('-', "_"))];
        write(folder, &[RUST, REGISTRY, CASES], &words)?;
    } else {
        base::write(workspace, folder, new)?;
    }
    lock(workspace)?;
    Ok(Made {
        folder: folder.to_owned(),
        next: format!("cargo test -p adapter-{name} && hub adapter test {name}"),
    })
}

fn javascript(workspace: Option<&Path>, folder: &Path, new: &New) -> anyhow::Result<Made> {
    let name = new.name.as_str();
    let inside = new.folder.is_none();
    let (given, place) = match &new.folder {
        Some(folder) => (folder.display().to_string(), folder.display().to_string()),
        None => (name.to_owned(), format!("plugins/{name}")),
    };
    let library = if inside {
        "../sdk/javascript/sdk.js"
    } else {
        "./sdk.js"
    };
    let words = [
        ("name", name),
        ("given", &given),
        ("place", &place),
        ("sdk", library),
        ("componentize", javascript::VERSION),
    ];
    write(folder, &[JAVASCRIPT, REGISTRY, CASES], &words)?;
    match workspace {
        Some(workspace) if inside => exclude(workspace, name)?,
        _ => std::fs::write(folder.join("sdk.js"), javascript::LIBRARY)?,
    }
    let install = format!("npm install --prefix {place}");
    Ok(Made {
        folder: folder.to_owned(),
        next: format!("{install} && hub adapter test {given}"),
    })
}

/// Writes the files of a new folder, with these words in their places.
fn write(folder: &Path, files: &[Files], words: &[(&str, &str)]) -> anyhow::Result<()> {
    for (path, text) in files.iter().flat_map(|files| files.iter()) {
        let mut text = (*text).to_owned();
        for (word, value) in words {
            text = text.replace(&format!("{{{{{word}}}}}"), value);
        }
        put(folder, path, &text)?;
    }
    Ok(())
}

/// Writes a file of a new folder.
fn put(folder: &Path, path: &str, text: &str) -> anyhow::Result<()> {
    let file = folder.join(path);
    let above = file.parent().unwrap_or(folder);
    std::fs::create_dir_all(above).with_context(|| above.display().to_string())?;
    std::fs::write(&file, text).with_context(|| file.display().to_string())
}

/// Tells cargo that a folder of `plugins/` is no package.
fn exclude(workspace: &Path, name: &str) -> anyhow::Result<()> {
    const LIST: &str = "\nexclude = [";
    let manifest = workspace.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)?;
    let Some((before, after)) = text.split_once(LIST) else {
        bail!("{} has no list `exclude`", manifest.display());
    };
    let changed = format!("{before}{LIST}\"plugins/{name}\", {after}");
    std::fs::write(&manifest, changed)?;
    Ok(())
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
