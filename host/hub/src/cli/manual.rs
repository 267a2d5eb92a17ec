//! `hub completions` and `hub manual`: the command line told to shells and to `man`.

use super::Cli;
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::path::Path;
use std::process::ExitCode;

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hub", &mut script);
    super::listed(&String::from_utf8(script)?)
}

/// Writes a page of each command into a folder, which is made if it is not there.
pub fn pages(folder: &Path) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Cli::command(), folder)?;
    say!("the pages are in {}", folder.display());
    Ok(ExitCode::SUCCESS)
}
