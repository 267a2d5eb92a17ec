//! Where the source of an adapter is, and the component that is made of it.

use super::{build, javascript};
use anyhow::{Context as _, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder of an adapter.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, which the file of the component gets.
    pub name: String,
    pub folder: PathBuf,
    /// The checkout it is in; None: a folder of its own, in JavaScript.
    workspace: Option<PathBuf>,
}

impl Source {
    /// An adapter by its name in `plugins/` of the checkout around, or by its folder.
    ///
    /// # Errors
    /// There is no such folder, or one that no component is made of.
    pub fn find(given: &str) -> anyhow::Result<Source> {
        let workspace = build::workspace();
        let folder = Source::folder_of(given, workspace.as_deref());
        if !folder.is_dir() {
            bail!(unknown(given, workspace.as_deref()));
        }
        let folder = folder
            .canonicalize()
            .with_context(|| folder.display().to_string())?;
        let name = folder.file_name().context("a folder with a name")?;
        let name = name.to_string_lossy().into_owned();
        let plugins = workspace
            .as_ref()
            .map(|workspace| workspace.join("plugins"));
        let plugins = plugins.map(|folder| folder.canonicalize()).transpose()?;
        if folder
            .parent()
            .is_some_and(|above| Some(above) == plugins.as_deref())
        {
            return Ok(Source {
                name,
                folder,
                workspace,
            });
        }
        if !javascript::is_one(&folder) {
            bail!(
                "{} has no {} and is in no plugins/ of a checkout: nothing here makes its component (hub adapter test plays one with --component FILE)",
                folder.display(),
                javascript::ENTRY
            );
        }
        Ok(Source {
            name,
            folder,
            workspace: None,
        })
    }

    /// A folder with cases; or the folder of this name in `plugins/` of a checkout.
    pub fn folder_of(given: &str, workspace: Option<&Path>) -> PathBuf {
        let path = PathBuf::from(given);
        match workspace {
            Some(workspace) if !path.join("cases").is_dir() => in_plugins(workspace, given),
            _ => path,
        }
    }

    /// An adapter of a checkout, by its name.
    pub fn of(workspace: &Path, name: &str) -> Source {
        Source {
            name: name.to_owned(),
            folder: in_plugins(workspace, name),
            workspace: Some(workspace.to_owned()),
        }
    }

    /// Whether it is written in JavaScript.
    pub fn is_javascript(&self) -> bool {
        javascript::is_one(&self.folder)
    }

    /// What this machine lacks to make its component, and what to type. For Rust: always
    /// None; cargo itself says what is missing.
    pub fn missing(&self) -> Option<String> {
        let other = self.is_javascript();
        other.then(|| javascript::missing(&self.folder)).flatten()
    }

    /// Makes its component in `out`; returns the file.
    ///
    /// # Errors
    /// It does not compile, or what compiles it is missing ([`build::rust`],
    /// [`javascript::build`]).
    pub fn build(&self, out: &Path) -> anyhow::Result<PathBuf> {
        match &self.workspace {
            Some(workspace) if !self.is_javascript() => {
                build::rust(workspace, &self.folder, &self.name, out)
            }
            _ => javascript::build(&self.folder, &self.name, out),
        }
    }

    /// Folder for components that are tried and not installed.
    pub fn scratch(&self) -> PathBuf {
        match &self.workspace {
            Some(workspace) => workspace.join("target/adapters/components"),
            None => self.folder.join("build"),
        }
    }

    /// Folders whose files are watched while the adapter is written.
    pub fn parts(&self) -> Vec<PathBuf> {
        let mut parts = vec![self.folder.clone()];
        match &self.workspace {
            Some(workspace) if !self.is_javascript() => {
                let mut names = BTreeSet::from(["sdk".to_owned(), "rps".to_owned()]);
                names.extend(neighbours(&self.folder));
                parts.extend(names.iter().map(|name| in_plugins(workspace, name)));
            }
            _ => parts.extend(javascript::library(&self.folder)),
        }
        parts
    }
}

/// What is there, where a name is none.
fn unknown(given: &str, workspace: Option<&Path>) -> String {
    let names = workspace.and_then(|workspace| build::adapters(workspace).ok());
    let known = match names {
        Some(names) => format!("no adapter of plugins/ ({})", names.join(", ")),
        None => "no checkout of the hub is around here".to_owned(),
    };
    format!("{given}: there is no such folder, and {known}")
}

/// Folder of an adapter, or of a library of adapters, in a checkout.
fn in_plugins(workspace: &Path, name: &str) -> PathBuf {
    workspace.join("plugins").join(name)
}

/// Folders beside that of a package which it names as dependencies (`path = "../NAME"`).
fn neighbours(folder: &Path) -> Vec<String> {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let after = manifest.split("path = \"../").skip(1);
    let names = after.filter_map(|rest| rest.split_once('"').map(|(name, _)| name));
    let beside = names.filter(|name| !name.contains('/'));
    beside.map(str::to_owned).collect()
}

/// Makes the components of a checkout in `out`; the adapters that were made, each with
/// its file. One whose tools are not on this machine is left out, and `say` is told what
/// to type.
///
/// # Errors
/// As [`Source::build`].
pub fn all(
    workspace: &Path,
    out: &Path,
    mut say: impl FnMut(&str),
) -> anyhow::Result<Vec<(Source, PathBuf)>> {
    let mut made = Vec::new();
    for name in build::adapters(workspace)? {
        let source = Source::of(workspace, &name);
        if let Some(why) = source.missing() {
            say(&format!("not built: {why}"));
            continue;
        }
        say(&format!("building adapter {name} ..."));
        let file = source.build(out)?;
        made.push((source, file));
    }
    Ok(made)
}
