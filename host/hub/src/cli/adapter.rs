//! `hub adapter`.

use crate::adapter::build;
use crate::config::Config;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Adapter {
    /// Compiles an adapter of this checkout (all, without a name) and installs it in the adapters folder.
    Build { name: Option<String> },
}

pub fn run(command: Adapter, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        Adapter::Build { name } => {
            let workspace = build::workspace().ok_or_else(|| anyhow::anyhow!("run this inside a checkout of the hub (no plugins/sdk above)"))?;
            let names = match name {
                Some(name) => vec![name],
                None => build::adapters(&workspace)?,
            };
            for name in names {
                let file = build::build(&workspace, &name, &config.adapters_folder())?;
                println!("{}", file.display());
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}
