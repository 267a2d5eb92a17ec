//! The command line. Names of commands and flags are part of the product.

/// Prints a line. A reader that has seen enough, as `head` has, ends no
/// command: a backup goes on.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::cli::said(format_args!($($text)*))
    };
}

mod account;
mod accounts;
mod adapter;
mod agreements;
mod backup;
pub mod bench;
mod client;
mod collection;
mod compact;
mod datasets;
pub mod doctor;
mod health;
mod layouts;
mod load;
pub mod log;
mod manual;
mod probes;
mod record;
mod registry;
mod releases;
mod roots;
mod second_factor;
pub mod serve;
mod sim;
mod up;
mod vacuum;
mod vault;

use base::config::{Config, ConfigError};
use clap::{Parser, Subcommand};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "hub",
    version,
    about = "Brazilian tax documents by one HTTP/JSON API",
    after_help = "Example: hub --data-dir /srv/hub serve"
)]
struct Cli {
    /// Settings file over the built-in defaults.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of database, keys and compiled adapters.
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Address to listen on.
    #[arg(long, global = true, value_name = "ADDR")]
    listen: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything on this machine: adapters, simulator, demonstration account and server.
    #[command(after_help = "Example: hub up")]
    Up,
    /// The server, against the authorities the settings name.
    #[command(after_help = "Example: hub --config hub.toml serve")]
    Serve,
    /// Brings the database schema up to date and stops.
    #[command(after_help = "Example: hub --data-dir /srv/hub migrate")]
    Migrate,
    /// Checks whether a hub with these settings can work: database, ledger and issuance,
    /// settings, certificates, clock, disk, mail, files, adapters, authorities. Exit code
    /// 1 if there is an error.
    #[command(after_help = "Example: hub --config hub.toml doctor --json")]
    Doctor {
        /// For programs: check, state (ok, warning, error), what was seen, what to do.
        #[arg(long)]
        json: bool,
        /// Reads every packed record instead of a sample, those too that moved.
        #[arg(long)]
        all_records: bool,
    },
    /// Compresses the texts of settled documents, also while hubs run; it may be stopped at any moment.
    #[command(
        after_help = "Example: hub compact --older-than-hours 24\n         hub compact --vacuum"
    )]
    Compact(compact::Compact),
    /// Copies database, keys and files into an empty folder, also while hubs run. Objects in S3 are not in it.
    #[command(
        after_help = "Example: hub backup /srv/copies/monday\n         hub backup --incremental /srv/copies/all --keep 30"
    )]
    Backup(backup::Backup),
    /// Makes a hub of a backup in the empty data folder (and database) of the settings.
    #[command(after_help = "Example: hub --data-dir /srv/new restore /srv/copies/monday")]
    Restore(backup::Restore),
    /// Copies the database into an empty one of either engine. No hub may run meanwhile.
    #[command(after_help = "Example: hub move-store --to postgres://hub@db.example.com/hub")]
    MoveStore {
        /// postgres://user:password@host/database, or sqlite:/path/hub.db.
        #[arg(long, value_name = "URL", required_unless_present = "to_file")]
        to: Option<String>,
        /// File that holds the address, so that its password is not on the
        /// command line, which others on the machine can see.
        #[arg(long, value_name = "FILE", conflicts_with = "to")]
        to_file: Option<std::path::PathBuf>,
    },
    /// Prints the completions of a shell.
    #[command(after_help = "Example: hub completions bash > /etc/bash_completion.d/hub")]
    Completions { shell: clap_complete::Shell },
    /// Writes a manual page of each command into a folder.
    #[command(after_help = "Example: hub manual /usr/local/share/man/man1")]
    Manual {
        /// As /usr/local/share/man/man1.
        folder: PathBuf,
    },
    /// Asks the server of `server.listen` whether it can work; exit code 0 when it can.
    #[command(after_help = "Example: hub --listen 127.0.0.1:8080 health")]
    Health,
    /// Prints the OpenAPI document.
    #[command(after_help = "Example: hub openapi > openapi.json")]
    Openapi,
    /// A collection of requests made of the OpenAPI document: postman, bruno.
    #[command(
        subcommand,
        after_help = "Example: hub collection postman > hub.postman_collection.json"
    )]
    Collection(collection::Collection),
    /// Prints a typed client made of the OpenAPI document, one file without dependencies, or
    /// writes a package to publish.
    #[command(after_help = "Example: hub client --package npm --folder cliente")]
    Client(client::Client),
    /// Lists the operations.
    #[command(after_help = "Example: hub operations --json")]
    Operations {
        /// Only those that answer 501.
        #[arg(long)]
        missing: bool,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Prints the default settings with their reasons. `check` prints those in
    /// force and where each comes from.
    #[command(after_help = "Example: hub config > hub.toml")]
    Config {
        #[command(subcommand)]
        command: Option<Settings>,
    },
    /// Opens an account and prints its two keys; they are not shown again.
    #[command(after_help = "Example: hub account 'Padaria da Praça' --requests-per-minute 600")]
    Account {
        /// Whose it is.
        name: String,
        /// Calls a minute; absent: `accounts.requests_per_minute`.
        #[arg(long)]
        requests_per_minute: Option<u32>,
    },
    /// Accounts: list, show, block, unblock, credit, limits.
    #[command(subcommand, after_help = "Example: hub accounts list --search padaria")]
    Accounts(accounts::Command),
    /// Releases an account for documents that are not for everybody: CT-e in
    /// their test phase, MDF-e.
    #[command(after_help = "Example: hub release con_01KAEXEMPL0000000000000000 mdfe")]
    Release {
        /// Id of the account.
        #[arg(value_name = "ACCOUNT")]
        id: String,
        #[arg(value_enum)]
        document: account::Document,
        /// Takes the release back.
        #[arg(long)]
        withdraw: bool,
        /// Why, as its people read it.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Prints a link by which a person chooses a new password; good for an
    /// hour. It also removes a second factor if the address was never
    /// confirmed.
    #[command(after_help = "Example: hub password maria@example.com")]
    Password {
        /// The person's e-mail.
        email: String,
    },
    /// Makes the secret of a second factor for operators (`admin.totp_file`), and prints
    /// the address an authenticator takes.
    #[command(after_help = "Example: hub second-factor /etc/hub/operator.totp")]
    SecondFactor {
        /// File that is not there yet.
        file: PathBuf,
    },
    /// Adapters: new, build, test, inspect; install, list, canary, promote, activate,
    /// rollback, history.
    #[command(subcommand, after_help = "Example: hub adapter install dps.wasm")]
    Adapter(adapter::Adapter),
    /// The registry of municipalities: stats, export, diff, check, probe.
    #[command(subcommand, after_help = "Example: hub registry stats --json")]
    Registry(registry::Command),
    /// Keys of what is sealed at rest: rotate, verify.
    #[command(subcommand, after_help = "Example: hub vault verify")]
    Vault(vault::Vault),
    /// Tables of the official layouts: compile.
    #[command(subcommand, after_help = "Example: hub layouts compile /srv/xsd")]
    Layouts(layouts::Command),
    /// Reference data: list, import, update, undo.
    #[command(subcommand, after_help = "Example: hub data list")]
    Data(datasets::Command),
    /// Certificates the hub trusts: list, import.
    #[command(subcommand, after_help = "Example: hub roots list")]
    Roots(roots::Command),
    /// The simulated authorities as a server (without --listen: 127.0.0.1:8443).
    #[command(after_help = "Example: hub --listen 127.0.0.1:8443 sim")]
    Sim,
    /// Load on a hub: run (operations at a rate), ask (questions to every listing), fill
    /// (a generated store).
    #[command(
        subcommand,
        after_help = "Example: hub load run --url http://127.0.0.1:8080 --key-file key --rate 200 --seconds 600"
    )]
    Load(load::Command),
    /// Ratios measured on this machine, each with its target.
    #[command(after_help = "Example: hub bench")]
    Bench {
        /// Instead: imports so many generated products and measures look-ups.
        #[arg(long, value_name = "N")]
        products: Option<u32>,
        /// Instead: issues notes while releases of their adapter change.
        #[arg(long, conflicts_with = "products")]
        swaps: bool,
        /// Notes that `--swaps` begins each second, over all hubs.
        #[arg(long, value_name = "N", default_value_t = bench::SWAPS_PER_SECOND, requires = "swaps",
              value_parser = clap::value_parser!(u32).range(1..=10_000))]
        per_second: u32,
        /// The empty database of `--products`, of either engine, or of `--swaps`: on
        /// PostgreSQL two hubs share it.
        #[arg(long, value_name = "URL")]
        database: Option<String>,
    },
}

#[derive(Subcommand)]
enum Settings {
    /// Prints every setting with its value and where it comes from; secrets are not shown.
    #[command(after_help = "Example: hub --config hub.toml config check")]
    Check {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the program; errors are one line on standard error.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut overrides = Vec::new();
    if let Some(data_dir) = &cli.data_dir {
        overrides.push(("storage.data_dir", data_dir.display().to_string()));
    }
    if let Some(listen) = &cli.listen {
        overrides.push(("server.listen", listen.clone()));
    }
    if matches!(cli.command, Command::Up) {
        // Before the environment would be too strong, after it too weak: the
        // local set-up is the simulator unless somebody says otherwise.
        if std::env::var_os("HUB_AUTHORITIES_MODE").is_none() {
            overrides.push(("authorities.mode", "simulator".to_owned()));
        }
        if std::env::var_os("HUB_FLOW_WAIT_DIVISOR").is_none() {
            overrides.push(("flow.wait_divisor", "5".to_owned()));
        }
        // A developer's receiver stands on this machine.
        if std::env::var_os("HUB_WEBHOOKS_ALLOW_NETS").is_none() {
            overrides.push(("webhooks.allow_nets", "127.0.0.0/8,::1".to_owned()));
        }
        if std::env::var_os("HUB_WEBHOOKS_ALLOW_HTTP").is_none() {
            overrides.push(("webhooks.allow_http", "true".to_owned()));
        }
    }
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for line in base::config::unknown(names) {
        eprintln!("hub: {line}");
    }
    let environment = |name: &str| std::env::var(name).ok();
    let file = cli.config.as_deref();
    let config = match Config::load(file, environment, &overrides) {
        Ok(config) => config,
        Err(error) => return bad_config(&error),
    };
    if let Command::Config {
        command: Some(Settings::Check { json }),
    } = cli.command
    {
        return match base::config::effective(file, environment, &overrides) {
            Ok(settings) => printed(effective(&settings, json).and_then(|text| listed(&text))),
            Err(error) => bad_config(&error),
        };
    }
    // It issues notes by a hub of its own, whose calls nobody looks at.
    let quiet = matches!(cli.command, Command::Load(load::Command::Fill(_)));
    log::start(&config, quiet);
    // Distributions give a process far fewer than they allow it.
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("hub: {error}");
            return ExitCode::FAILURE;
        }
    };
    let ran = runtime.block_on(run(cli.command, config, cli.listen));
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    printed(ran)
}

/// The exit code, with one line where it went wrong.
fn printed(ran: anyhow::Result<ExitCode>) -> ExitCode {
    ran.unwrap_or_else(|error| {
        eprintln!("hub: {error:#}");
        ExitCode::FAILURE
    })
}

async fn run(command: Command, config: Config, listen: Option<String>) -> anyhow::Result<ExitCode> {
    match command {
        Command::Up => up::up(config).await,
        Command::Serve => serve::serve(config).await,
        Command::Account {
            name,
            requests_per_minute,
        } => account::open(config, &name, requests_per_minute).await,
        Command::Accounts(command) => accounts::run(command, &config).await,
        Command::Release {
            id,
            document,
            withdraw,
            reason,
        } => account::release(config, id.into(), document, !withdraw, reason).await,
        Command::Password { email } => account::password(config, &email).await,
        Command::SecondFactor { file } => second_factor::make(&file),
        Command::Migrate => {
            crate::boot::data_folder(&config)?;
            store::Db::open(&config.database_url(), config.database.pool_size).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Doctor { json, all_records } => doctor::doctor(&config, json, all_records).await,
        Command::Backup(command) => backup::run(&command, &config).await,
        Command::Restore(command) => backup::restore(&command, &config).await,
        Command::Compact(command) => compact::run(command, &config).await,
        Command::MoveStore { to, to_file } => {
            let to = backup::target(to, to_file.as_deref())?;
            backup::move_store(&config, &to).await
        }
        Command::Completions { shell } => manual::completions(shell),
        Command::Manual { folder } => manual::pages(&folder),
        Command::Health => health::health(&config).await,
        Command::Openapi => {
            let document = api::openapi::document(&config.server.base_url);
            listed(&format!("{}\n", serde_json::to_string_pretty(&document)?))
        }
        Command::Collection(command) => {
            let document = api::openapi::document(&config.server.base_url);
            collection::run(&command, &document)
        }
        Command::Client(command) => {
            let document = api::openapi::document(&config.server.base_url);
            client::run(&command, &document)
        }
        Command::Operations { missing, json } => listed(&operations(missing, json)?),
        Command::Config { .. } => listed(base::config::DEFAULT),
        Command::Adapter(command) => adapter::run(command, &config).await,
        Command::Registry(command) => {
            let today = base::when::utc(base::when::system_clock()()).date();
            registry::run(&command, &config, today).await
        }
        Command::Vault(command) => vault::run(command, &config).await,
        Command::Layouts(command) => layouts::run(&command),
        Command::Data(command) => datasets::run(command, &config).await,
        Command::Roots(command) => roots::run(&command, &config).await,
        Command::Load(command) => load::run(command, config).await,
        Command::Sim => sim::sim(&config, listen.as_deref()).await,
        Command::Bench {
            products: Some(count),
            database,
            ..
        } => bench::products(&config, database, count).await,
        Command::Bench {
            swaps: true,
            per_second,
            database,
            ..
        } => bench::swaps(&config, database, per_second).await,
        Command::Bench { .. } => bench::bench(&config).await,
    }
}

/// The command line as its help knows it.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// The settings in force, a line each or as JSON.
fn effective(settings: &[base::config::Effective], json: bool) -> anyhow::Result<String> {
    if json {
        return as_json(&settings);
    }
    let lines = settings.iter().map(|setting| format!("{setting}\n"));
    Ok(lines.collect())
}

/// The operations, a line each or as JSON.
fn operations(missing: bool, json: bool) -> anyhow::Result<String> {
    let rows: Vec<_> = if missing {
        api::missing()
    } else {
        base::operations::all().iter().collect()
    };
    if json {
        let rows = rows.iter().map(|row| {
            let (operation, method, path) = (&row.operation, &row.method, &row.path);
            serde_json::json!({ "operation": operation, "method": method, "path": path })
        });
        return as_json(&rows.collect::<Vec<_>>());
    }
    let lines = rows
        .iter()
        .map(|row| format!("{}\t{}\t{}\n", row.operation, row.method, row.path));
    Ok(lines.collect())
}

/// What a list is for programs.
fn as_json(list: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(list)?))
}

fn said(line: std::fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    // What cannot be shown is no reason to stop.
    let _ = writeln!(out, "{line}");
}

/// Prints a long text; a reader that has seen enough, as `head` has, is fine.
fn listed(text: &str) -> anyhow::Result<ExitCode> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn bad_config(error: &ConfigError) -> ExitCode {
    eprintln!("hub: {error}");
    ExitCode::from(2)
}
