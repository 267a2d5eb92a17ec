//! `hub registry`: the registry of municipalities as a whole.

use super::{agreements, as_json, listed, probes};
use crate::adapter::{self, inspect};
use crate::{boot, registry};
use anyhow::Context as _;
use base::config::Config;
use clap::{Subcommand, ValueEnum};
use flow::registry::{Registry, Scope};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use time::Date;

#[derive(Subcommand)]
pub enum Command {
    /// Municipalities with a known system and with an adapter, by system and state.
    #[command(after_help = "Example: hub registry stats --json")]
    Stats {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// The record of each municipality: routes, addresses, options, source.
    #[command(after_help = "Example: hub registry export --format csv")]
    Export {
        /// Form of the list.
        #[arg(long, value_enum, default_value_t = Form::Json)]
        format: Form,
    },
    /// The tier that the recorded cases of this checkout prove for each system, as
    /// `plugins/tiers.csv` has it.
    #[command(after_help = "Example: hub registry tiers > plugins/tiers.csv")]
    Tiers {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// What differs between two registries, by municipality.
    #[command(after_help = "Example: hub registry diff before.toml providers.toml")]
    Diff {
        /// The file of before.
        before: PathBuf,
        /// The file of now; absent: the registry in use.
        after: Option<PathBuf>,
        /// As JSON, with all municipalities of each group.
        #[arg(long)]
        json: bool,
    },
    /// Asks the addresses in production whether they answer, now, and keeps what came of
    /// it: one request to a host at a time, no certificate, no document.
    #[command(after_help = "Example: hub registry probe --municipality 3106200")]
    Probe {
        /// Only those of a system, by its name in the registry.
        #[arg(long)]
        system: Option<String>,
        /// Only those of a municipality, by its IBGE code.
        #[arg(long, value_name = "IBGE")]
        municipality: Option<u32>,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Asks the national system for its agreement with each municipality, one after the
    /// other and with your certificate, keeps what it tells, and prints where the registry
    /// says otherwise. Coverage shows it.
    #[command(
        after_help = "Example: hub registry agreements --certificate a1.pfx --password-file a1.password --state MG"
    )]
    Agreements {
        /// A certificate of ICP-Brasil with its key (PFX), of any company or person. It is
        /// used in the TLS handshake alone, and not kept.
        #[arg(long, value_name = "FILE")]
        certificate: PathBuf,
        /// A file whose first line is its password.
        #[arg(long, value_name = "FILE")]
        password_file: PathBuf,
        /// Only those of a state, by its letters.
        #[arg(long, value_name = "UF")]
        state: Option<String>,
        /// Only that of a municipality, by its IBGE code.
        #[arg(long, value_name = "IBGE")]
        municipality: Option<u32>,
    },
    /// Everything wrong with a registry: its text, addresses of internal networks, where
    /// it disagrees with the components installed, and where its systems want what these
    /// do not declare. Exit code 1 if there is anything.
    #[command(after_help = "Example: hub registry check providers.toml")]
    Check {
        /// The file.
        file: PathBuf,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
}

/// Forms of the export.
#[derive(Clone, Copy, ValueEnum)]
pub enum Form {
    Json,
    Csv,
}

/// Prints what is asked for.
///
/// # Errors
/// A registry cannot be read or used, the database cannot be opened, or standard output cannot be written.
pub async fn run(command: &Command, config: &Config, today: Date) -> anyhow::Result<ExitCode> {
    match command {
        Command::Tiers { json } => {
            let workspace = adapter::build::workspace().context("run this inside a checkout")?;
            let registry = boot::load_registry(config)?;
            let list = registry::tiers::list(&registry, &workspace.join("plugins"))?;
            listed(&if *json { tiers(&list)? } else { list })
        }
        Command::Stats { json } => {
            let current = boot::load_registry(config)?;
            listed(&registry::stats(&current, today, *json)?)
        }
        Command::Export { format } => {
            let current = boot::load_registry(config)?;
            listed(&match format {
                Form::Json => registry::json(&current)?,
                Form::Csv => registry::csv(&current)?,
            })
        }
        Command::Diff {
            before,
            after,
            json,
        } => {
            let before = registry::read(before)?;
            let differences = match after {
                Some(file) => before.differences(&registry::read(file)?),
                None => before.differences(&*boot::load_registry(config)?),
            };
            listed(&if *json {
                registry::as_json(&differences)?
            } else {
                registry::as_text(&differences)?
            })
        }
        Command::Probe {
            system,
            municipality,
            json,
        } => {
            let scope = Scope {
                system: system.clone(),
                municipality: *municipality,
            };
            let current = boot::load_registry(config)?;
            probes::probe(config, &current, today, &scope, *json).await
        }
        Command::Agreements {
            certificate,
            password_file,
            state,
            municipality,
        } => {
            let scope = agreements::Scope {
                state: state.as_deref(),
                municipality: *municipality,
            };
            let current = boot::load_registry(config)?;
            agreements::ask(config, &current, today, certificate, password_file, &scope).await
        }
        Command::Check { file, json } => check(config, file, *json),
    }
}

/// The list of tiers, by system.
fn tiers(list: &str) -> anyhow::Result<String> {
    let rows = list.lines().filter_map(|row| row.split_once(','));
    as_json(&rows.collect::<BTreeMap<_, _>>())
}

fn check(config: &Config, file: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let read = registry::read_usable(file, config)?;
    let folder = config.adapters_folder();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>()?,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).with_context(|| folder.display().to_string()),
    };
    let mut components: Vec<PathBuf> = entries.iter().map(|entry| entry.path()).collect();
    components.retain(|component| component.extension().is_some_and(|kind| kind == "wasm"));
    components.sort();
    let Compared { findings, missing } = against(config, &read, &components)?;
    if json {
        let report = json!({
            "municipalities": read.municipalities().len(),
            "components": components.len(),
            "disagreements": findings,
            "not_looked_at": missing,
        });
        listed(&as_json(&report)?)?;
        return Ok(code(&findings));
    }
    for finding in &findings {
        say!("{finding}");
    }
    if !missing.is_empty() {
        say!(
            "not looked at, because hub adapter build did not make them here: {}",
            missing.join(", ")
        );
    }
    say!(
        "{}: {} municipalities, {} components of {} looked at, {} disagreements",
        file.display(),
        read.municipalities().len(),
        components.len(),
        folder.display(),
        findings.len()
    );
    Ok(code(&findings))
}

fn code(findings: &[String]) -> ExitCode {
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What a registry says, compared with components.
struct Compared {
    findings: Vec<String>,
    /// Components that it names and that are not there.
    missing: Vec<String>,
}

fn against(config: &Config, read: &Registry, components: &[PathBuf]) -> anyhow::Result<Compared> {
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let mut findings = Vec::new();
    let mut missing: BTreeSet<&str> = read
        .adapters()
        .map(|adapter| adapter.component.as_str())
        .collect();
    for component in components {
        let loaded = adapter::load(&runtime, component)?;
        missing.remove(loaded.description.name.as_str());
        let name = component.file_stem().unwrap_or_default().to_string_lossy();
        let found = inspect::findings(&loaded, read);
        findings.extend(
            found
                .into_iter()
                .map(|finding| format!("{name}: {finding}")),
        );
    }
    Ok(Compared {
        findings,
        missing: missing.into_iter().map(str::to_owned).collect(),
    })
}
