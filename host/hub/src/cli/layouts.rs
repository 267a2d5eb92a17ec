//! `hub layouts`: the official XSDs as the tables this program carries.

use anyhow::Context as _;
use clap::Subcommand;
use markup::layout::compile::{RECIPES, compile};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Command {
    /// Compiles the tables from a folder of official XSD packages.
    #[command(after_help = "Example: hub layouts compile /srv/xsd --out host/markup/layouts")]
    Compile {
        /// Folder with the packages (`nfe/...`, `nfse-nacional/...`).
        dir: PathBuf,
        /// Where the tables go; absent: host/markup/layouts of this checkout.
        #[arg(long, default_value = "host/markup/layouts")]
        out: PathBuf,
    },
}

/// Writes the tables whose packages are there, and names the others. What cannot
/// be compiled is listed, with exit code 1.
///
/// # Errors
/// A table cannot be written.
pub fn run(command: &Command) -> anyhow::Result<ExitCode> {
    let Command::Compile { dir, out } = command;
    anyhow::ensure!(dir.is_dir(), "{} is not a folder", dir.display());
    std::fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let mut failed = 0;
    for recipe in RECIPES {
        if !dir.join(recipe.folder).is_dir() {
            say!("{}\tno {} there", recipe.name, recipe.folder);
            continue;
        }
        match compile(recipe, &mut |path| read(dir, path)) {
            Ok(table) => {
                let file = out.join(format!("{}.txt", recipe.name));
                let changed = std::fs::read_to_string(&file).ok().as_deref() != Some(&table);
                if changed {
                    std::fs::write(&file, &table).with_context(|| file.display().to_string())?;
                }
                let what = if changed { "written" } else { "unchanged" };
                say!("{}\t{what}\t{} bytes", recipe.name, table.len());
            }
            Err(reason) => {
                failed += 1;
                eprintln!("{}: {reason}", recipe.name);
            }
        }
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A file of the packages, as text: UTF-8, with or without a mark.
fn read(dir: &Path, path: &str) -> Result<String, String> {
    let file = dir.join(path);
    let text =
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
