//! `hub adapter`.

use super::releases;
use crate::adapter::{self, build, conformance, inspect, player, scaffold};
use crate::boot;
use base::config::Config;
use clap::Subcommand;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Subcommand)]
pub enum Adapter {
    /// Makes plugins/NAME: an adapter that compiles and whose case passes.
    New {
        name: String,
        /// Kind of authority it speaks to.
        #[arg(long, value_enum, default_value = "nfse")]
        world: scaffold::World,
    },
    /// Compiles an adapter of this checkout (all, without a name) and installs it in the adapters folder.
    Build { name: Option<String> },
    /// Plays the cases of an adapter (all, without a name) in the sandbox, and
    /// tries the inputs every adapter must handle.
    Test {
        /// Name in plugins/, or a folder with cases/.
        adapter: Option<String>,
        /// A component to test instead of one built now.
        #[arg(long, value_name = "FILE", requires = "adapter")]
        component: Option<PathBuf>,
    },
    /// Shows what a component says about itself, and where the registry disagrees.
    Inspect {
        /// Component file, or name of an installed adapter.
        component: String,
    },
    /// Installs, activates and takes back adapters while hubs run.
    #[command(flatten)]
    Release(releases::Command),
}

pub async fn run(command: Adapter, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        Adapter::Release(command) => releases::run(command, config).await,
        Adapter::New { name, world } => {
            let folder = scaffold::create(&checkout()?, &name, world)?;
            say!("{}", folder.display());
            say!("next: cargo test -p adapter-{name} && hub adapter test {name}");
            Ok(ExitCode::SUCCESS)
        }
        Adapter::Build { name } => {
            let workspace = checkout()?;
            let names = name.map_or_else(|| build::adapters(&workspace), |name| Ok(vec![name]))?;
            for name in names {
                say!(
                    "{}",
                    build::build(&workspace, &name, &config.adapters_folder())?.display()
                );
            }
            Ok(ExitCode::SUCCESS)
        }
        Adapter::Test { adapter, component } => test(config, adapter, component),
        Adapter::Inspect { component } => inspect(config, &component),
    }
}

fn checkout() -> anyhow::Result<PathBuf> {
    build::workspace().ok_or_else(|| {
        anyhow::anyhow!("run this inside a checkout of the hub (no plugins/sdk above)")
    })
}

fn test(
    config: &Config,
    adapter: Option<String>,
    component: Option<PathBuf>,
) -> anyhow::Result<ExitCode> {
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let mut failed = 0;
    for (folder, file) in subjects(adapter, component)? {
        let loaded = adapter::load(&runtime, &file)?;
        let name = &loaded.description.name;
        let cases = player::cases(&folder)?;
        let mut passed = 0;
        for case in &cases {
            let case_name = case
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            match player::play(&runtime, &loaded, case) {
                Ok(played) => {
                    passed += 1;
                    say!(
                        "ok   {name}/{case_name}: {} requests, {} calls, state {} bytes",
                        played.requests.len(),
                        played.calls,
                        played.state_bytes
                    );
                }
                Err(error) => say!("FAIL {name}/{case_name}: {error}"),
            }
        }
        let findings = conformance::check(&runtime, &loaded, &cases);
        for finding in &findings {
            say!("FAIL {name}: {finding}");
        }
        say!(
            "{name} {}: {passed} of {} cases, {} conformance findings",
            loaded.description.version,
            cases.len(),
            findings.len()
        );
        failed += cases.len() - passed + findings.len();
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Folders with cases, and the component of each.
fn subjects(
    adapter: Option<String>,
    component: Option<PathBuf>,
) -> anyhow::Result<Vec<(PathBuf, PathBuf)>> {
    if let (Some(adapter), Some(component)) = (&adapter, &component) {
        let folder = PathBuf::from(adapter);
        let folder = if folder.join("cases").is_dir() {
            folder
        } else {
            checkout()?.join("plugins").join(adapter)
        };
        return Ok(vec![(folder, component.clone())]);
    }
    let workspace = checkout()?;
    let names = match adapter {
        Some(adapter) => vec![name_in(&workspace, &adapter)?],
        None => build::adapters(&workspace)?,
    };
    // Built apart: testing installs nothing.
    let out = workspace.join("target/adapters/components");
    names
        .iter()
        .map(|name| {
            Ok((
                workspace.join("plugins").join(name),
                build::build(&workspace, name, &out)?,
            ))
        })
        .collect()
}

/// The name of an adapter given by name or by folder.
fn name_in(workspace: &Path, adapter: &str) -> anyhow::Result<String> {
    let given = Path::new(adapter);
    let folder = if given.join("cases").is_dir() {
        given.to_owned()
    } else {
        workspace.join("plugins").join(adapter)
    };
    let folder = folder
        .canonicalize()
        .map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?;
    let plugins = workspace.join("plugins").canonicalize()?;
    match (folder.parent(), folder.file_name()) {
        (Some(parent), Some(name)) if parent == plugins => Ok(name.to_string_lossy().into_owned()),
        _ => anyhow::bail!(
            "{} is not in {}: give its component with --component",
            folder.display(),
            plugins.display()
        ),
    }
}

fn inspect(config: &Config, component: &str) -> anyhow::Result<ExitCode> {
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let given = PathBuf::from(component);
    let file = if given.is_file() {
        given
    } else {
        config.adapters_folder().join(format!("{component}.wasm"))
    };
    let loaded = adapter::load(&runtime, &file)?;
    let size = std::fs::metadata(&file)?.len();
    print!("{}", inspect::describe(&loaded, size));
    let findings = inspect::disagreements(&loaded, &*boot::load_registry(config)?);
    say!("registry");
    for finding in &findings {
        say!("  {finding}");
    }
    if findings.is_empty() {
        say!("  agrees");
        Ok(ExitCode::SUCCESS)
    } else {
        Ok(ExitCode::FAILURE)
    }
}
