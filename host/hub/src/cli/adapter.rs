//! `hub adapter`.

use super::releases;
use crate::adapter::inspection::Inspection;
use crate::adapter::source::Source;
use crate::adapter::{self, build, conformance, inspect, player, record, scaffold, source};
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
    /// Makes plugins/NAME, or FOLDER: an adapter that becomes a component and whose cases
    /// pass.
    #[command(after_help = "Example: hub adapter new mycity --base abrasf")]
    New(scaffold::New),
    /// Makes the component of an adapter (all of this checkout, without one) and
    /// installs it in the adapters folder.
    #[command(after_help = "Example: hub adapter build mycity")]
    Build {
        /// Name in plugins/, or the folder of one in JavaScript.
        adapter: Option<String>,
    },
    /// Plays the cases of an adapter (all, without a name) in the sandbox, and
    /// tries the inputs every adapter must handle.
    #[command(after_help = "Example: hub adapter test mycity")]
    Test {
        /// Name in plugins/, or a folder with cases/.
        adapter: Option<String>,
        /// A component to test instead of one built now.
        #[arg(long, value_name = "FILE", requires = "adapter")]
        component: Option<PathBuf>,
        /// Writes the requests, pauses and outcomes of the cases instead of comparing
        /// them; a step without an answer ends a case.
        #[arg(long, requires = "adapter")]
        record: bool,
    },
    /// Writes an adapter as a release: NAME-VERSION.wasm, what it is
    /// (.json) and, with a key, its signature (.wasm.minisig).
    #[command(after_help = "Example: hub adapter pack mycity --key minisign.key")]
    Pack {
        /// Name in plugins/, or the folder of one in JavaScript.
        adapter: String,
        /// Folder for the files.
        #[arg(long, default_value = ".")]
        out: PathBuf,
        /// Secret key of minisign; the program of this name signs.
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
        /// Uploads the files to an OCI registry, too: oci://HOST/REPOSITORY:TAG.
        #[arg(long, value_name = "ADDRESS")]
        push: Option<String>,
    },
    /// Makes cases of what was exchanged for a note, with generated persons in the place
    /// of the real ones: FOLDER/<operation>, for each of its flows.
    #[command(
        after_help = "Example: hub adapter record nfse_01KAEXEMPL0000000000000000 plugins/mycity/cases/real"
    )]
    Record {
        /// Id of a note, or of an event of one (`evento_id`), as the API gives it.
        note: String,
        /// Usually plugins/NAME/cases/…; what exists is not overwritten.
        folder: PathBuf,
    },
    /// Makes the component of an adapter each time one of its files is saved, judges
    /// it, and puts it into use in the hubs of the database. Ends with Ctrl-C.
    #[command(after_help = "Example: hub adapter dev mycity")]
    Dev {
        /// Name in plugins/, or the folder of one in JavaScript.
        adapter: String,
    },
    /// Shows what a component says about itself and what it may do, and where the
    /// registry disagrees.
    #[command(after_help = "Example: hub adapter inspect dps --json")]
    Inspect {
        /// Component file, or name or folder of an adapter that was built.
        component: String,
        /// A release of this name instead of the component of the adapters folder: the
        /// first characters of its digest.
        digest: Option<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Installs, activates and takes back adapters while hubs run.
    #[command(flatten)]
    Release(releases::Command),
}

pub async fn run(command: Adapter, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        Adapter::Release(command) => releases::run(command, config).await,
        Adapter::New(new) => {
            let made = scaffold::create(build::workspace().as_deref(), &new)?;
            say!("{}", made.folder.display());
            say!("next: {}", made.next);
            Ok(ExitCode::SUCCESS)
        }
        Adapter::Build { adapter } => {
            let out = config.adapters_folder();
            match adapter {
                Some(adapter) => say!("{}", Source::find(&adapter)?.build(&out)?.display()),
                None => {
                    source::all(&checkout()?, &out, |said| say!("{said}"))?;
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        Adapter::Test {
            adapter,
            component,
            record,
        } => test(config, adapter, component, record),
        Adapter::Pack {
            adapter,
            out,
            key,
            push,
        } => packed(config, &adapter, &out, key.as_deref(), push.as_deref()).await,
        Adapter::Record { note, folder } => record_cases(config, &note, &folder).await,
        Adapter::Dev { adapter } => develop(config, &adapter).await,
        Adapter::Inspect {
            component,
            digest,
            json,
        } => inspect(config, &component, digest.as_deref(), json).await,
    }
}

async fn packed(
    config: &Config,
    adapter: &str,
    out: &Path,
    key: Option<&Path>,
    push: Option<&str>,
) -> anyhow::Result<ExitCode> {
    // Compiling and judging takes minutes.
    if let Some(address) = push {
        pack::may_push(config, address, key.is_some())?;
    }
    let source = Source::find(adapter)?;
    let registry = boot::load_registry(config)?;
    let packed = pack::pack(config, registry, source, out, key).await?;
    say!("{}", packed.component.display());
    say!("{}", packed.about.display());
    match &packed.signature {
        Some(signature) => say!("{}", signature.display()),
        None => say!("next: minisign -S -m {}", packed.component.display()),
    }
    if let Some(address) = push {
        let pushed = pack::push(config, &packed, address).await?;
        say!("{pushed}");
        say!("next: hub adapter install {address}");
    }
    Ok(ExitCode::SUCCESS)
}

async fn record_cases(config: &Config, note: &str, folder: &Path) -> anyhow::Result<ExitCode> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    // The journal of an old note may have moved.
    if boot::is_used(config) {
        boot::records(&db, config)?;
    }
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
    let source = Source::find(name)?;
    boot::data_folder(config)?;
    let bench = Bench {
        config: config.clone(),
        db: Db::open(&config.database_url(), config.database.pool_size).await?,
        registry: boot::load_registry(config)?,
        source,
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
    record: bool,
) -> anyhow::Result<ExitCode> {
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let mut failed = 0;
    let mut differ = 0;
    let given = adapter.clone().unwrap_or_else(|| "NAME".to_owned());
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
            let opened = if record {
                player::Case::recording(case)
            } else {
                player::Case::open(case)
            };
            match opened.and_then(|case| player::play_case(&runtime, &loaded, &case)) {
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
        if let Some(advice) = conformance::advice(&loaded.description) {
            say!("warn {name}: {advice}");
        }
        say!(
            "{name} {}: {passed} of {} cases, {} conformance findings",
            loaded.description.version,
            cases.len(),
            findings.len()
        );
        differ += cases.len() - passed;
        failed += cases.len() - passed + findings.len();
    }
    if differ > 0 && !record {
        say!(
            "next: where what is sent, or how it ends, is right as it is now, write the cases anew and read the difference: hub adapter test {given} --record"
        );
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
        let folder = Source::folder_of(adapter, build::workspace().as_deref());
        return Ok(vec![(folder, component.clone())]);
    }
    if let Some(adapter) = adapter {
        let source = Source::find(&adapter)?;
        let component = source.build(&source.scratch())?;
        return Ok(vec![(source.folder, component)]);
    }
    // Built apart: testing installs nothing.
    let workspace = checkout()?;
    let out = workspace.join("target/adapters/components");
    let made = source::all(&workspace, &out, |said| say!("{said}"))?;
    let made = made.into_iter();
    Ok(made.map(|(source, file)| (source.folder, file)).collect())
}

async fn inspect(
    config: &Config,
    component: &str,
    digest: Option<&str>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let runtime = flow::Runtime::new(config.flow.limits())
        .map_err(|error| anyhow::anyhow!("sandbox: {error:#}"))?;
    let (loaded, size, release) = match digest {
        Some(digest) => {
            let (release, bytes) = releases::component(config, component, digest).await?;
            let loaded = Arc::new(runtime.load(&bytes, None)?);
            (loaded, bytes.len(), Some(release))
        }
        None => {
            let file = inspect::component(&config.adapters_folder(), component)?;
            let loaded = adapter::load(&runtime, &file)?;
            let size = std::fs::metadata(&file)?.len();
            (loaded, usize::try_from(size)?, None)
        }
    };
    let registry = boot::load_registry(config)?;
    let inspected = Inspection::of(&loaded, size, &registry, release.as_ref());
    if json {
        say!("{}", serde_json::to_string_pretty(&inspected)?);
    } else {
        print!("{}", inspect::describe(&loaded, size));
        say!("registry");
        for finding in &inspected.discordancias {
            say!("  {finding}");
        }
        if inspected.agrees() {
            say!("  agrees");
        }
    }
    Ok(if inspected.agrees() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
