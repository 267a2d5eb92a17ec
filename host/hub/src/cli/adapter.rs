//! `hub adapter`.

use super::releases;
use crate::adapter::{self, build, conformance, contradictions, inspect, player, record, scaffold};
use crate::boot;
use crate::releases::develop::Bench;
use crate::releases::pack;
use base::config::Config;
use base::when::system_clock;
use clap::Subcommand;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use store::Db;

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
    /// Writes an adapter of this checkout as a release: NAME-VERSION.wasm, what it is
    /// (.json) and, with a key, its signature (.wasm.minisig).
    Pack {
        name: String,
        /// Folder for the files.
        #[arg(long, default_value = ".")]
        out: PathBuf,
        /// Secret key of minisign; the program of this name signs.
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Makes cases of what was exchanged for a note, with generated persons in the place
    /// of the real ones: FOLDER/<operation>, for each of its flows.
    Record {
        /// The note's id, as the API gives it.
        note: String,
        /// Usually plugins/NAME/cases/…; what exists is not overwritten.
        folder: PathBuf,
    },
    /// Compiles an adapter of this checkout each time one of its files is saved, judges
    /// it, and puts it into use in the hubs of the database. Ends with Ctrl-C.
    Dev { name: String },
    /// Shows what a component says about itself and what it may do, and where the
    /// registry disagrees.
    Inspect {
        /// Component file, or name of an installed adapter.
        component: String,
        /// A release of this name instead of the component of the adapters folder: the
        /// first characters of its digest.
        digest: Option<String>,
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
        Adapter::Pack { name, out, key } => {
            let workspace = checkout()?;
            let name = name_in(&workspace, &name)?;
            let registry = boot::load_registry(config)?;
            let packed =
                pack::pack(config, registry, workspace, &name, &out, key.as_deref()).await?;
            say!("{}", packed.component.display());
            say!("{}", packed.about.display());
            if !packed.signed {
                say!("next: minisign -S -m {}", packed.component.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Adapter::Record { note, folder } => record_cases(config, &note, &folder).await,
        Adapter::Dev { name } => develop(config, &name).await,
        Adapter::Inspect { component, digest } => {
            inspect(config, &component, digest.as_deref()).await
        }
    }
}

async fn record_cases(config: &Config, note: &str, folder: &Path) -> anyhow::Result<ExitCode> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let flows = record::of_note(&db, note).await?;
    anyhow::ensure!(!flows.is_empty(), "{note}: no flow of such a note is known");
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    for (number, flow) in flows.iter().enumerate() {
        let (row, _) = flow;
        let file = format!("{}.wasm", row.digest);
        let file = config.adapters_folder().join("store").join(file);
        let loaded = adapter::load(&runtime, &file)?;
        let name = match number {
            0 => row.operacao.as_str().to_owned(),
            _ => format!("{}-{}", row.operacao.as_str(), number + 1),
        };
        let case = folder.join(name);
        record::write(&runtime, &loaded, flow, &case)?;
        say!("{}", case.display());
    }
    say!("look at every file before it is published: texts that nobody knows as personal stay");
    Ok(ExitCode::SUCCESS)
}

async fn develop(config: &Config, name: &str) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !config.adapters.require_signature,
        "what is compiled here has no signature: set HUB_ADAPTERS_REQUIRE_SIGNATURE=false"
    );
    let workspace = checkout()?;
    let bench = Bench {
        config: config.clone(),
        db: Db::open(&config.database_url(), config.database.pool_size).await?,
        registry: boot::load_registry(config)?,
        name: name_in(&workspace, name)?,
        workspace,
        made: Vec::new(),
    };
    match bench.watch(system_clock(), |text| say!("{text}")).await? {}
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

async fn inspect(
    config: &Config,
    component: &str,
    digest: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let given = PathBuf::from(component);
    let file = if given.is_file() {
        given
    } else {
        config.adapters_folder().join(format!("{component}.wasm"))
    };
    let (loaded, size) = match digest {
        Some(digest) => {
            let bytes = releases::component(config, component, digest).await?;
            (Arc::new(runtime.load(&bytes, None)?), bytes.len())
        }
        None => {
            let loaded = adapter::load(&runtime, &file)?;
            let size = std::fs::metadata(&file)?.len();
            (loaded, usize::try_from(size)?)
        }
    };
    print!("{}", inspect::describe(&loaded, size));
    let registry = boot::load_registry(config)?;
    let mut findings = inspect::disagreements(&loaded, &registry);
    findings.extend(contradictions::contradictions(&loaded, &registry));
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
