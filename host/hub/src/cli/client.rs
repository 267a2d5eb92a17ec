//! `hub client`: a client made of the OpenAPI document, as one file or as a package.

use super::collection::write_all;
use super::listed;
use api::clients::packages::{self, Package};
use api::clients::{self, Language};
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub struct Client {
    /// The client as one file, which is printed.
    #[arg(value_enum, required_unless_present = "package")]
    language: Option<Language>,
    /// Instead: a folder to publish, with types, a test and a README.
    #[arg(long, value_enum, conflicts_with = "language")]
    package: Option<Package>,
    /// The folder of `--package`; absent: hub-cliente-npm, hub-cliente-pypi, …
    #[arg(long, value_name = "DIR", requires = "package")]
    folder: Option<PathBuf>,
}

/// Prints or writes what is asked for.
///
/// # Errors
/// The folder cannot be written.
pub fn run(command: &Client, document: &Value) -> anyhow::Result<ExitCode> {
    if let Some(package) = command.package {
        let usual = || format!("hub-cliente-{}", package.registry()).into();
        let folder = command.folder.clone().unwrap_or_else(usual);
        write_all(&folder, packages::files(document, package))?;
        say!("{}", folder.display());
        return Ok(ExitCode::SUCCESS);
    }
    match command.language {
        Some(language) => listed(&clients::client(document, language)),
        None => Ok(ExitCode::FAILURE),
    }
}
