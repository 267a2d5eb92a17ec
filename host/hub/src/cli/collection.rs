//! `hub collection`: requests for tools people try an API with.

use super::listed;
use anyhow::Context as _;
use api::clients::{bruno, postman};
use clap::Subcommand;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Collection {
    /// Prints a Postman collection (v2.1).
    #[command(after_help = "Example: hub collection postman > hub.postman_collection.json")]
    Postman {
        /// The environment (base_url and chave) instead.
        #[arg(long)]
        environment: bool,
    },
    /// Writes a Bruno collection into a folder.
    #[command(after_help = "Example: hub collection bruno bruno")]
    Bruno {
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Prints or writes what is asked for.
///
/// # Errors
/// The folder cannot be written.
pub fn run(command: &Collection, document: &Value) -> anyhow::Result<ExitCode> {
    match command {
        Collection::Postman { environment } => {
            let made = if *environment {
                postman::environment(document)
            } else {
                postman::collection(document)
            };
            listed(&format!("{}\n", serde_json::to_string_pretty(&made)?))
        }
        Collection::Bruno { folder } => {
            write_all(folder, bruno::files(document))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Writes files, by their paths inside of a folder.
///
/// # Errors
/// The folder cannot be written.
pub fn write_all(folder: &Path, files: Vec<(String, String)>) -> anyhow::Result<()> {
    for (path, content) in files {
        let path = folder.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        }
        std::fs::write(&path, content).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}
