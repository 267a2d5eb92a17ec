//! Where the source of an adapter is, and the component that is made of it.

use super::{build, javascript};
use anyhow::{Context as _, bail};
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
        let path = PathBuf::from(given);
        let folder = match &workspace {
            Some(workspace) if !path.join("cases").is_dir() => {
                workspace.join("plugins").join(given)
            }
            _ => path,
        };
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
        if !folder.join(javascript::ENTRY).is_file() {
            bail!(
                "{} has no {} and is in no plugins/ of a checkout: give its component with --component",
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

    /// An adapter of a checkout, by its name.
    pub fn of(workspace: &Path, name: &str) -> Source {
        Source {
            name: name.to_owned(),
            folder: workspace.join("plugins").join(name),
            workspace: Some(workspace.to_owned()),
        }
    }

    /// Makes its component in `out`; returns the file.
    ///
    /// # Errors
    /// It does not compile, or what compiles it is missing.
    pub fn build(&self, out: &Path) -> anyhow::Result<PathBuf> {
        match &self.workspace {
            Some(workspace) => build::build(workspace, &self.name, out),
            None => javascript::build(&self.folder, &self.name, out),
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
        let Some(workspace) = &self.workspace else {
            return vec![self.folder.clone()];
        };
        let shared = ["sdk", "rps"].map(|name| workspace.join("plugins").join(name));
        let mut parts = Vec::from(shared);
        parts.push(self.folder.clone());
        parts
    }
}
